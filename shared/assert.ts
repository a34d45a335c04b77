/**
 * Throw where something is false that the code relies on: a bug, never a client's mistake.
 *
 * `node:assert` brings its diffs and call trackers along, two milliseconds of every cold start.
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
