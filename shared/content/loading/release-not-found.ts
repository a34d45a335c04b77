/** A release that is active, or that a transaction pins, is not there: content was lost, and nothing may stand in for it. */
export class ReleaseNotFound extends Error {
  override readonly name = 'ReleaseNotFound';
  readonly release: string;

  constructor(release: string) {
    super(`The release ${release} is neither built in nor in the Content table.`);
    this.release = release;
  }
}
