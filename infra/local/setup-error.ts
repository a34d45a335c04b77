/** What the person at the keyboard must change before the local service can run: one line, no stack. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
