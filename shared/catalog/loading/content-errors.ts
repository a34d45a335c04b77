/** Thrown if an active or pinned release is missing: content was lost, and there is no fallback for it. */
export class ReleaseNotFound extends Error {
  override readonly name = 'ReleaseNotFound';
  readonly release: string;

  constructor(release: string) {
    super(`The release ${release} is neither built in nor in the Content table.`);
    this.release = release;
  }
}

/**
 * Thrown if an item of an imported release differs from what its import wrote: damaged, changed, missing or unexpected.
 * No calculation may use the release.
 */
export class ContentCorrupt extends Error {
  override readonly name = 'ContentCorrupt';
  readonly release: string;
  /** The part's key, a ZIP or city; `null` for the head. */
  readonly key: string | null;

  /** `reason` completes the sentence "Part 55401 of US-MN@2026-11-21.101 is corrupt: …". */
  constructor(release: string, key: string | null, reason: string, options?: ErrorOptions) {
    super(`${key === null ? 'The head' : `Part ${key}`} of ${release} is corrupt: ${reason}.`, options);
    this.release = release;
    this.key = key;
  }
}

/** Reasons for a missing and an unexpected part. */
export const missingPart = 'the head lists it, but it is not in the table';
export const unlistedPart = 'the head does not list it';

const corruptOrThrow = (error: unknown): ContentCorrupt => {
  if (error instanceof ContentCorrupt) return error;
  throw error;
};

/** Returns the value of a read, or its `ContentCorrupt` error. Rethrows any other error. */
export const catchCorrupt = async <Value>(reading: Promise<Value>): Promise<Value | ContentCorrupt> =>
  reading.catch(corruptOrThrow);

/** `catchCorrupt` for a synchronous read. */
export const catchCorruptSync = <Value>(read: () => Value): Value | ContentCorrupt => {
  try {
    return read();
  } catch (error) {
    return corruptOrThrow(error);
  }
};

/**
 * Describes a corrupt release and how to repair it, for operators. The rollback comes first, because an import is an
 * overlay on the active release and would read the corrupt one.
 */
export const corruptionText = ({ message, release }: ContentCorrupt): string =>
  `${message} If calculations use it, roll back with \`npm run content -- rollback --state ${release.slice(3, 5)}\`; then import its files again and activate the new release.`;
