/** A bug: a condition that the code relies on is false. The command line prints its stack. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws an `AssertionError` if a condition is false. `node:assert` would add 2 ms to every cold start. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
