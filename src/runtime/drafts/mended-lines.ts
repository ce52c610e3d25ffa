/**
 * How many lines further down the rows of a mended file stand in its draft, because rows were left out, or because the
 * original has empty lines or lines above its header. From line `from` of the mended file on, it is `by` lines. In the
 * order of `from`.
 */
export type LineShifts = readonly { from: number; by: number }[];

/** Gathers the shifts while a mended file is written. */
export function makeLineShifts(): { shifts: LineShifts; note(line: number, lineOfDraft: number): void } {
  const shifts: { from: number; by: number }[] = [];
  return {
    shifts,
    note(line, lineOfDraft) {
      const by = lineOfDraft - line;
      if (by !== (shifts.at(-1)?.by ?? 0)) shifts.push({ from: line, by });
    },
  };
}

/** The line of the draft that a line of its mended file has come from. */
export function lineOfDraft(shifts: LineShifts, line: number): number {
  let [low, high] = [0, shifts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shifts[middle]?.from ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return line + (shifts[low - 1]?.by ?? 0);
}

/** A problem of a row of the mended file, with the lines of the draft in its sentence and its values. */
export function withLinesOfDraft<Named extends { message: string; values?: Record<string, string> | undefined }>(
  problem: Named,
  shifts: LineShifts,
): Named {
  if (shifts.length === 0) return problem;
  const moved = (line: string) => String(lineOfDraft(shifts, Number(line)));
  const { message, values } = problem;
  const named = Object.entries(values ?? {}).map(([name, value]) => [name, lineNames.has(name) ? moved(value) : value]);
  return {
    ...problem,
    message: message.replace(/\b([Ll]ine )(\d+)/g, (_, word: string, line: string) => word + moved(line)),
    ...(values === undefined ? {} : { values: Object.fromEntries(named) as Record<string, string> }),
  };
}

const lineNames: ReadonlySet<string> = new Set(['line', 'other_line']);
