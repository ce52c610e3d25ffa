/** The exit code of a process that Ctrl-C ended, by the shells' custom. */
export const interruptedExitCode = 130;

/** The one that most needs attention speaks for several batches. */
export function worstExitCode(codes: readonly number[]): number {
  const order = [0, 4, 3, 2, 5, 6, 1, interruptedExitCode];
  return codes.reduce((worst, code) => (order.indexOf(code) > order.indexOf(worst) ? code : worst), 0);
}
