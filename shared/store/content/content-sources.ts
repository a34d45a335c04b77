/** The record of each state's last update: one item per state, in one partition. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { accept, type Problem, type Result, refuse } from '../../base/result.ts';
import { GateResult } from '../../catalog/content.ts';
import { environment } from '../../config/environment.ts';
import { readItem } from '../client/reads.ts';
import { absentOrAsSeen, putItem } from '../client/writes.ts';
import { contentSourceKey } from '../keys.ts';
import { readItems } from './content-reads.ts';

const TableName = environment.tables.content;

const SourceFile = z.object({
  option: z.enum(['file', 'rates', 'boundaries']),
  /** The publisher's address, even if a mirror served the file. */
  url: z.string(),
  name: z.string(),
  etag: z.nullable(z.string()),
  last_modified: z.nullable(z.string()),
  sha256: z.string(),
  bytes: z.number(),
});

const ProposedChanges = z.object({
  /** The release that was active. */
  against: z.string(),
  count: z.int(),
  /** The first changes, ordered by code. Rates are fractions; `null` is unknown. */
  rates: z.array(
    z.object({
      jurisdiction: z.string(),
      name: z.string(),
      kind: z.string(),
      from: z.nullable(z.string()),
      to: z.nullable(z.string()),
      before: z.nullable(z.string()),
      after: z.nullable(z.string()),
    }),
  ),
});

const Source = z.object({
  /** The two-letter code of the state. */
  state: z.string(),
  /** The number of writes. Each write is conditional on it. */
  version: z.number(),
  /** The time of the last check at the publisher (ISO 8601). */
  checked_at: z.string(),
  /** The files that `release` was built from; empty before the first import. */
  files: z.array(SourceFile),
  release: z.nullable(z.string()),
  imported_at: z.nullable(z.string()),
  /**
   * Whether an update has ever found `release` active. An update does not reactivate a release that an operator rolled
   * back.
   */
  activated: z.boolean(),
  /**
   * The gates of `release` as last measured by an update, and the reason to hold its activation; `null` if it may be
   * activated. The whole field is `null` until the gates are measured.
   */
  proposal: z.nullable(
    z.object({
      gates: z.array(GateResult),
      held: z.nullable(z.string()),
      /** The changes relative to a release. */
      changes: ProposedChanges,
    }),
  ),
  /** The id of the state's last published event. */
  announced: z.nullable(z.string()),
  /** Why the last update failed, and since when updates have failed; `null` after a success. */
  failure: z.nullable(z.object({ since: z.string(), message: z.string() })),
});

/** A downloaded file. */
export type SourceFile = z.infer<typeof SourceFile>;
/** The record of a state's last update. */
export type ContentSource = z.infer<typeof Source>;

/** Returns a state's record (by two letters); if no update ever ran, an empty record of version 0. */
export const readContentSource = async (state: string): Promise<ContentSource> => {
  const item = await readItem(TableName, contentSourceKey(state));
  if (item) return Source.parse(item);
  return {
    state,
    version: 0,
    checked_at: '',
    files: [],
    release: null,
    imported_at: null,
    activated: false,
    proposal: null,
    announced: null,
    failure: null,
  };
};

/** Returns the records of the given states (two letters) that have had an update, by state, in one call per 100 states. */
export const readContentSources = async (states: readonly string[]): Promise<ReadonlyMap<string, ContentSource>> => {
  const getItem = await readItems(states.map(contentSourceKey));
  const records = states.flatMap((state) => {
    const item = getItem(contentSourceKey(state));
    return item ? [Source.parse(item)] : [];
  });
  return new Map(records.map((record) => [record.state, record]));
};

const moved: Problem = {
  code: 'precondition_failed',
  title: 'Concurrent update of the state',
  detail: 'A concurrent update changed the record of the state. Wait until it ends, then run the update again.',
};

/**
 * Replaces a state's record if it still has the version that was read, and rejects the write otherwise. A write whose
 * reply was lost is repeated by the SDK, and succeeds if the stored record is the one that it wrote.
 */
export const writeContentSource = async (source: ContentSource): Promise<Result<ContentSource>> => {
  const next = { ...source, version: source.version + 1 };
  const Item = { ...contentSourceKey(source.state), ...next };
  if (await putItem({ TableName, Item, ...absentOrAsSeen(source.version) })) return accept(next);
  return isDeepStrictEqual(await readContentSource(source.state), next) ? accept(next) : refuse(moved);
};
