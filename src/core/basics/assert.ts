/** A fault of the program itself, never of a user. No code catches it in order to continue. */
export class AssertionError extends Error {
  override name = 'AssertionError';
}

/**
 * Throws if `condition` is false. Assertions are always on, and only for what a programmer can break; input is
 * validated.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The end of an exhaustive switch: the compiler proves that it is never reached, and at run time it throws. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
