import type { JsonObject } from '../../json.ts';

/**
 * One change of the API for one endpoint, between the shape before it (older) and after it (newer).
 *
 * The request is unchecked here, so each function leaves unexpected values unchanged and never throws. It returns a new
 * object.
 */
export type Shapes = {
  /** Converts a request body from the older to the newer shape. */
  readonly request?: (older: JsonObject) => JsonObject;
  /** Converts a response body from the newer to the older shape. */
  readonly response?: (newer: JsonObject) => JsonObject;
  /** Converts a pointer into the newer shape to one into the older shape. */
  readonly pointer?: (newer: string) => string;
};

export type VersionChange = {
  /** What has changed, for readers of the registry. */
  readonly name: string;
  /** The shapes by the name of the endpoint. */
  readonly of: Readonly<Record<string, Shapes>>;
};

/** A version and its changes from the version before. */
export type Version = { readonly name: string; readonly changes: readonly VersionChange[] };

/** The versions that a client may pin, oldest first. No version is ever removed (decision 0013). */
export const versions: readonly Version[] = [{ name: 'aspen.2026-10-01', changes: [] }];
