/** An active or pinned release is missing. Content was lost, and there is no fallback for it. */
export class ReleaseNotFound extends Error {
  override readonly name = 'ReleaseNotFound';
  readonly release: string;

  constructor(release: string) {
    super(`The release ${release} is neither built in nor in the Content table.`);
    this.release = release;
  }
}
