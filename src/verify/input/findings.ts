import { z } from 'zod';

/** The finding for JSON that can be read, but is not written as the program writes it. */
export const doubleMeaning =
  'is not written as the program writes it: it may have a name twice, and readers may use either value.';

/** The value of a JSON file, which must be written as the program writes it. */
export function readJson(file: string, text: string, findings: Findings): unknown {
  let hasPrototype = false;
  const value: unknown = JSON.parse(text, (name, member: unknown) => {
    hasPrototype ||= name === '__proto__';
    return member;
  });
  if (hasPrototype) findings.add(file, 'has the name "__proto__", which some readers misunderstand.');
  if (text !== `${JSON.stringify(value, null, 2)}\n`) findings.add(file, doubleMeaning);
  return value;
}

/** A fault in a folder of reports. */
export interface Finding {
  file: string;
  /** One sentence: what is wrong, and where. */
  message: string;
}

/** The most findings that are kept; beyond that, their number is enough. */
const findingsMax = 100;

export class Findings {
  readonly list: Finding[] = [];
  /** The number of all findings, including those that were not kept. */
  count = 0;
  /** What could not be checked, or is worth knowing, in a sentence each. None of it is a fault by itself. */
  readonly notes: string[] = [];
  /**
   * Why the reports, though intact, may not be the ones that the reader wants, in a sentence each: they are of another
   * batch, or out of date.
   */
  readonly doubts: string[] = [];

  get unlisted(): number {
    return this.count - this.list.length;
  }

  add(file: string, message: string): void {
    this.count += 1;
    if (this.list.length < findingsMax) this.list.push({ file, message });
  }

  /** Says why the reports, though intact, may not be the ones that the reader wants. */
  doubt(sentence: string): void {
    this.doubts.push(sentence);
  }

  note(sentence: string): void {
    this.notes.push(sentence);
  }
}

/** A file to compare with is not what it should be. That says nothing about the reports. */
export class InputError extends Error {}

/** Works with a file that was given for a comparison. Any error is a fault of that file, not of the reports. */
export async function given<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A part of the work has given a more precise reason.
    if (error instanceof InputError) throw error;
    throw new InputError(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

/** Runs one check. An error while reading is itself a finding. Null if the check could not be completed. */
export async function attempt<Result>(
  findings: Findings,
  file: string,
  check: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof InputError) throw error;
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
    findings.add(
      file,
      code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there.' : `cannot be read: ${messageOf(error)}.`,
    );
    return null;
  }
}

/** The most differences from a shape that a message names. */
const namedMax = 3;

/** The message of an error. The parser's own message about another shape is JSON, which is not for people. */
function messageOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  const said = error.issues.map((issue) => {
    const place = issue.path.length === 0 ? '' : `"${issue.path.join('.')}"`;
    if (issue.code === 'unrecognized_keys') {
      const names = issue.keys.map((name) => JSON.stringify(name)).join(' and ');
      return `${place || 'it'} has the unknown ${issue.keys.length === 1 ? 'name' : 'names'} ${names}`;
    }
    const message = issue.message.replace(/^Invalid input: /, '');
    if (place !== '' && message.endsWith(', received undefined')) return `${place} is missing`;
    return place === '' ? message : `${place}: ${message}`;
  });
  const more = said.length - namedMax;
  return [...said.slice(0, namedMax), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
