/** What is wrong with JSON that is not as the program writes it, though it can be read. */
export const doubleMeaning =
  'is not as the program writes it: a name may stand in it twice, of which readers take one or the other.';

/** The value of a file of JSON, which must be as the program writes it. */
export function readJson(file: string, text: string, findings: Findings): unknown {
  let hasPrototype = false;
  const value: unknown = JSON.parse(text, (name, member: unknown) => {
    hasPrototype ||= name === '__proto__';
    return member;
  });
  if (hasPrototype) findings.add(file, 'has the name "__proto__", which some readers take for another thing.');
  if (text !== `${JSON.stringify(value, null, 2)}\n`) findings.add(file, doubleMeaning);
  return value;
}

/** Something in a folder of reports that is not as it must be. */
export interface Finding {
  file: string;
  /** One sentence: what is wrong, and where. */
  message: string;
}

/** Findings kept; beyond that, knowing that there are more is enough. */
const findingsMax = 100;

export class Findings {
  readonly list: Finding[] = [];
  /** All that were found, those that were not kept as well. */
  count = 0;
  /** What could not be checked, or should be known besides, in a sentence each: nothing of it is wrong by itself. */
  readonly notes: string[] = [];
  /**
   * Why the reports may not be the ones that are meant, in a sentence each: whole, and of another batch or out of
   * date.
   */
  readonly doubts: string[] = [];

  get unlisted(): number {
    return this.count - this.list.length;
  }

  add(file: string, message: string): void {
    this.count += 1;
    if (this.list.length < findingsMax) this.list.push({ file, message });
  }

  /** Says why the reports may not be the ones that are meant, though they are whole. */
  doubt(sentence: string): void {
    this.doubts.push(sentence);
  }

  note(sentence: string): void {
    this.notes.push(sentence);
  }
}

/** What was given to compare reports with is not what it should be: that says nothing of the reports. */
export class InputError extends Error {}

/** Does something with what was given for a comparison; whatever fails is the fault of that, not of the reports. */
export async function given<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A part of it has said more closely what is wrong.
    if (error instanceof InputError) throw error;
    throw new InputError(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Runs one check; trouble in reading is itself a finding. Null when it could not be carried through. */
export async function attempt<Result>(
  findings: Findings,
  file: string,
  check: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
    findings.add(file, code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there.' : `cannot be read: ${message}.`);
    return null;
  }
}
