/** Turns what an importer reads into a release: a head, and one part for each ZIP and city. */
import { stateOfJurisdiction } from '../../jurisdiction.ts';
import type { ReleaseHead, ReleasePart } from '../content.ts';
import type { Evidence, Release } from '../release.ts';
import { type Collection, collect } from './build/collect.ts';
import { InForceCount, withInForce } from './build/in-force.ts';
import { PartsFile, readParts } from './build/parts-file.ts';
import { Registry } from './build/registry.ts';
import { SpanSets } from './build/span-sets.ts';
import { Spill } from './build/spill.ts';
import { StreetSets } from './build/street-sets.ts';
import { writeParts } from './build/write-parts.ts';
import { contentHash } from './content-hash.ts';
import type { Entry } from './entry.ts';
import type { Importer } from './importer.ts';
import { type Summary, Tally } from './summary.ts';
import { zipsOfState } from './zips.ts';

/** The key of the head's sources that everything imported cites. */
const source = 'import';
/** The key of what the base release imported, where it is an import itself. */
const baseSource = 'base_import';

const nothingFound = 'No row says what a ZIP or a city of the state is taxed: there is nothing to make a release of.';

/** The releases that answer for what a release does not name: the one that was active, and those below it. */
export type Position = Required<Pick<ReleaseHead, 'below' | 'chain' | 'bottom'>>;

export type BuildOptions = {
  readonly entries: AsyncIterable<Entry>;
  /** The release whose rules, settings, sources and state jurisdiction the new one takes over. */
  readonly base: Release;
  /** Over which releases it is imported; without it, nothing answers for what it does not name. */
  readonly position?: Position;
  /** `US-MN@2026-11-21.1`. */
  readonly id: string;
  readonly importer: Pick<Importer, 'format' | 'describe' | 'confidence' | 'match'>;
  /** ISO instant. */
  readonly importedAt: string;
  /** A folder that the caller owns and removes when the parts have been read. */
  readonly tempFolder: string;
};

/**
 * `built`: the head, and the parts in the order of their keys, as often as they are asked for. Bad rows do not keep a
 * release from being built: look at `summary.bad` before it is stored. `nothing`: no row says what any place is taxed.
 */
export type Built =
  | {
      readonly outcome: 'built';
      readonly head: ReleaseHead;
      readonly parts: () => AsyncIterable<ReleasePart>;
      readonly summary: Summary;
    }
  | { readonly outcome: 'nothing'; readonly reason: string; readonly summary: Summary };

const citation = ({ describe }: Pick<Importer, 'describe'>, { files }: Summary, importedAt: string): string =>
  `${describe}: ${files.map(({ name }) => name).join(', ')}, imported on ${importedAt.slice(0, 10)}`;

/** The state, and what else taxes all of it: Tennessee's tax on single articles. */
const stateWide = ({ jurisdictions: [state, ...others] }: Release): Release['jurisdictions'] => [
  state,
  ...others.filter(({ type }) => type === 'state'),
];

type HeadDetails = Pick<ReleaseHead, 'counts' | 'last_day'> & {
  readonly summary: Summary;
  readonly registry: Registry;
};

const headOf = (
  options: BuildOptions,
  { summary, registry, ...found }: HeadDetails,
): Omit<ReleaseHead, 'content_hash'> => {
  const { base, id, importer, importedAt, position } = options;
  const own = registry.ratesOf(base.state);
  // Where the file gives the state's rate, the base's is no answer beside it: Nevada's file says 0 for the state.
  const rates = own.length > 0 ? own : stateRatesOf(base);
  return {
    ...takenFrom(base),
    id,
    ...(importer.match === 'city' ? { coverage: 'partial' } : { coverage: 'complete', locals: 'listed' }),
    sources: { ...sourcesOf(base, rates), [source]: citation(importer, summary, importedAt) },
    jurisdictions: stateWide(base),
    rates,
    locations: [],
    base: base.id,
    ...position,
    format: importer.format,
    imported_at: importedAt,
    ...found,
  };
};

/** What of a base release is that of its import, or of its tables, and not its rules and settings. */
const takenFrom = (base: Release): Omit<Release, 'locals' | 'local'> => {
  const head: Release & Partial<Position> = base;
  const { locals: _locals, local: _local, below: _below, chain: _chain, bottom: _bottom, ...taken } = head;
  return taken;
};

/** The state's own rates of a base. One that was imported itself cites its files under the key of the new ones. */
const stateRatesOf = ({ rates, state }: Release): Release['rates'] =>
  rates
    .filter(({ jurisdiction }) => jurisdiction === state)
    .map((rate) => (rate.source === source ? { ...rate, source: baseSource } : rate));

const sourcesOf = (base: Release, rates: Release['rates']): Release['sources'] => {
  const { [source]: ofBase, ...sources } = base.sources;
  const isCited = ofBase !== undefined && rates.some((rate) => rate.source === baseSource);
  return isCited && base.rates.some((rate) => rate.source === source) ? { ...sources, [baseSource]: ofBase } : sources;
};

/** What the base release says of places by codes that no import gives its own places. */
const noteLost = (base: Release, tally: Tally, used: ReadonlySet<string>): void => {
  const { rules, settings } = base;
  const known = new Set([...stateWide(base).map(({ code }) => code), ...used]);
  const isLost = (code: string) => !known.has(code);
  const lost = rules.filter(({ jurisdictions }) => jurisdictions?.every(isLost)).map(({ id }) => id);
  if (lost.length > 0)
    tally.note(`These rules name places that the import does not have, and do nothing: ${lost.join(', ')}.`);
  const brackets = settings.rounding.flatMap(({ policy }) => (policy.method === 'bracket' ? policy.brackets : []));
  const tables = [...new Set(brackets.map(({ jurisdiction }) => jurisdiction).filter(isLost))];
  if (tables.length > 0)
    tally.note(`These rounding tables are of places that the import does not have: ${tables.join(', ')}.`);
};

const streetsNote = (zips: number): string =>
  `Street-address rows name ${zips === 1 ? '1 ZIP' : `${zips} ZIPs`}. Levy does not look up streets: an address there is ambiguous where these rows have other jurisdictions than its ZIP.`;

const collectionOf = ({ tempFolder }: BuildOptions, zips: readonly string[], evidence: Evidence): Collection => ({
  tally: new Tally(),
  registry: new Registry(evidence),
  sets: new SpanSets(),
  spill: new Spill(tempFolder),
  streets: new StreetSets(),
  cities: new Map(),
  zips: zips.map(Number),
  zip3s: [...new Set(zips.map((zip) => Number(zip.slice(0, 3))))],
});

/** Write the parts of what was collected; the file is closed whatever happens. */
const writeAll = (collection: Collection, evidence: Evidence, { tempFolder }: BuildOptions, inForce: InForceCount) => {
  const file = new PartsFile(tempFolder);
  try {
    return { ...writeParts(collection, evidence, file, inForce), path: file.path, parts: file.count };
  } finally {
    file.close();
  }
};

/**
 * Build a release out of entries, in a memory that does not grow with their number: spans are put by into files, and
 * come back one three-digit ZIP at a time. Every part carries the jurisdictions and rates that it names.
 */
export const buildRelease = async (options: BuildOptions): Promise<Built> => {
  const { entries, base, importer, importedAt } = options;
  const evidence: Evidence = { source, confidence: importer.confidence };
  const zips = zipsOfState(stateOfJurisdiction(base.state));
  const collection = collectionOf(options, zips, evidence);
  const { tally, registry, spill, streets } = collection;
  const inForce = new InForceCount(importedAt.slice(0, 10), base.established_from);
  try {
    for await (const entry of entries) collect(collection, entry);
    const { path, ...written } = writeAll(collection, evidence, options, inForce);
    if (written.parts === 0) return { outcome: 'nothing', reason: nothingFound, summary: tally.summary() };
    noteLost(base, tally, registry.used);
    if (streets.size > 0) tally.note(streetsNote(streets.size));
    const rates = [base.state, ...registry.used].reduce((sum, code) => sum + registry.ratesOf(code).length, 0);
    const summary = withInForce(tally.summary(), inForce.counted);
    const counts = { ...written, rates, jurisdictions: registry.used.size + 1 };
    const head = headOf(options, { summary, registry, counts, last_day: inForce.lastDay });
    const content_hash = await contentHash(head, readParts(path));
    return { outcome: 'built', head: { ...head, content_hash }, parts: () => readParts(path), summary };
  } finally {
    spill.close();
  }
};
