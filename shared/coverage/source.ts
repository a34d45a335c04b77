import type { GateResult } from '../catalog/content.ts';
import type { Release } from '../catalog/release.ts';
import { type Publisher, publishers } from '../importers/updates/publishers.ts';
import { staleness, type UpdateRecord } from '../importers/updates/staleness.ts';
import { asHead, localCoverageOn } from './local-rates.ts';
import type { SourceCoverage } from './response.ts';

/** The fields of a state's update record that coverage uses. */
export type SourceRecord = UpdateRecord & {
  readonly release: string | null;
  readonly activated: boolean;
  readonly proposal: {
    readonly gates: readonly GateResult[];
    readonly held: string | null;
    readonly changes: NonNullable<SourceCoverage['proposal']>['changes'];
  } | null;
};
/** The update records by two-letter state code. A state without imported files has no record. */
export type SourceRecords = ReadonlyMap<string, SourceRecord>;

/** Returns the URLs of a publisher's files, or of the pages that link to them. Empty if Levy cannot import them. */
export const listAddresses = (publisher: Publisher, day: string): readonly string[] =>
  publisher.format === null ? [] : publisher.files.map(({ url }) => url.replace('{year}', day.slice(0, 4)));

/** Returns the newest release of a state if it was never active. */
const toProposal = ({ release, activated, imported_at, proposal }: SourceRecord): SourceCoverage['proposal'] =>
  release === null || activated
    ? null
    : {
        imported_at,
        gates: (proposal?.gates ?? []).map(({ describe, ...gate }) => ({ ...gate, text: describe })),
        held: proposal?.held ?? null,
        changes: proposal?.changes ?? null,
      };

/** Returns the source of a release's content, and the age of its state's official files on a day (`YYYY-MM-DD`). */
export const toSourceCoverage = (release: Release, record: SourceRecord | null, day: string): SourceCoverage => {
  const publisher = publishers.find(({ state }) => release.state === `US-${state}`);
  const age = publisher ? staleness(publisher, record, day) : null;
  const { format, chain = [] } = asHead(release);
  const newest = record?.release ?? null;
  const inUse = newest !== null && (newest === release.id || chain.includes(newest));
  return {
    origin: format ?? 'built_in',
    publisher: publisher?.name ?? null,
    addresses: publisher ? [...listAddresses(publisher, day)] : [],
    release: newest,
    in_use: inUse,
    // An operator's activation is recorded only by the next update.
    proposal: record && !inUse ? toProposal(record) : null,
    as_of: age?.asOf ?? localCoverageOn(release, day).as_of,
    next_expected: age?.nextExpected ?? null,
    stale: age?.isStale ?? false,
    stale_reason: age?.reason ?? null,
  };
};
