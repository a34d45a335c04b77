/** A problem that the developer must fix before the local service can start. Printed without a stack. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
