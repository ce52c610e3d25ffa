/** A broken promise between two parts of this program. It is never a user's fault and never caught to carry on. */
export class AssertionError extends Error {
  override name = 'AssertionError';
}

/**
 * Fails when `condition` does not hold: for what only a programmer can break, always on. Input is validated instead.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The end of an exhaustive switch: the compiler proves that it is never reached, and so does the run. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
