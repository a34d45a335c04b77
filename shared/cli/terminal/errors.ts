/** What the operator must change before a command can do its work: one line with the remedy, no stack, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
