/** The exit code of a process that Ctrl-C ended, as shells define it. */
export const interruptedExitCode = 130;

/** The exit code for several batches: that of the batch that most needs attention. */
export function worstExitCode(codes: readonly number[]): number {
  const order = [0, 4, 3, 2, 5, 6, 1, interruptedExitCode];
  return codes.reduce((worst, code) => (order.indexOf(code) > order.indexOf(worst) ? code : worst), 0);
}
