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
  /** What could not be checked, or should be known besides, in a sentence each: nothing of it is wrong by itself. */
  readonly notes: string[] = [];

  add(file: string, message: string): void {
    if (this.list.length < findingsMax) this.list.push({ file, message });
  }

  note(sentence: string): void {
    this.notes.push(sentence);
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
    findings.add(file, `cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
    return null;
  }
}
