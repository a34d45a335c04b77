import type { JsonObject } from '../../json.ts';
import type { Operation } from '../routes.ts';

/**
 * What one change of the API means to one operation, between the shape before it (older) and the one since (newer).
 *
 * Nothing is checked yet when a request comes here, so each function leaves what it does not expect as it is, and throws
 * never. It answers with a new object.
 */
export type Shapes = {
  /** A request's body of the older shape in the newer one. */
  readonly request?: (older: JsonObject) => JsonObject;
  /** An answer's body of the newer shape in the older one. */
  readonly response?: (newer: JsonObject) => JsonObject;
  /** Where a request of the older shape has what this pointer leads to in the newer one. */
  readonly pointer?: (newer: string) => string;
};

export type VersionChange = {
  /** What has changed, in words for the one who reads the registry. */
  readonly name: string;
  readonly of: Readonly<Partial<Record<Operation, Shapes>>>;
};

/** A version is what came with it: everything else is as in the one before. */
export type Version = { readonly name: string; readonly changes: readonly VersionChange[] };

/** The versions that a client may pin, from the oldest to the current one. None is ever taken out (decision 0013). */
export const versions: readonly Version[] = [{ name: 'aspen.2026-10-01', changes: [] }];
