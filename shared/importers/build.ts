/** Builds a release from an importer's entries: a head, and one part for each ZIP and city. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../base/json.ts';
import type { ReleaseHead, ReleasePart } from '../catalog/content.ts';
import { isOwnOnly } from '../catalog/own-rules.ts';
import type { OwnRules, Release } from '../catalog/release.ts';
import type { Evidence } from '../catalog/release-values.ts';
import { stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import { type Collection, collect, newCollection, type Registry } from './build/collect.ts';
import { readParts, writeParts } from './build/parts.ts';
import type { Entry, Importer } from './importer.ts';
import { ownCounts, ownTexts } from './rules/describe.ts';
import type { Summary, Tally } from './summary.ts';
import { publishedIn } from './updates/staleness.ts';

/** The key in the head's sources that all imported values cite. */
const source = 'import';

const notWhole = 'Custom rules cannot be imported with bad entries: correct the file.';
const nothingOwned = 'The file has no rule, rate or setting, and there are no active custom rules to withdraw.';
const nothingFound = 'No row has the taxes of a ZIP or city in the state: check that these are the right files.';

/**
 * The fallback releases: the active release and its fallbacks. The custom rules of the active release remain in force.
 */
export type Position = Pick<ReleaseHead, 'below' | 'chain' | 'bottom' | 'own'>;

export type BuildOptions = {
  readonly entries: AsyncIterable<Entry>;
  /** The built-in release, whose rules, settings, sources and state jurisdiction the new one copies. */
  readonly base: Release;
  readonly position: Position;
  /** `US-MN@2026-11-21.1`. */
  readonly id: string;
  readonly importer: Pick<Importer, 'format' | 'describe' | 'confidence' | 'hasRemoteRates'>;
  /** The time of the import, as an ISO timestamp. */
  readonly importedAt: string;
  /** A folder that the caller owns, and removes after the parts have been read. */
  readonly tempFolder: string;
};

/**
 * Returns the hash of an imported release: SHA-256, in hexadecimal, over the head without its hash and all parts, each
 * as a line of JSON with sorted keys. The parts must be in the order in which imports write them: ZIP codes first, then
 * cities, both sorted. The order of keys in an object does not matter.
 */
export const contentHash = async (
  { content_hash: _, ...head }: Omit<ReleaseHead, 'content_hash'> & { readonly content_hash?: string },
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
): Promise<string> => {
  const hash = createHash('sha256').update(`${canonicalJson(head)}\n`);
  for await (const part of parts) hash.update(`${canonicalJson(part)}\n`);
  return hash.digest('hex');
};

/** Starts a new pass over the parts of a release on each call. */
export type Parts = () => AsyncIterable<ReleasePart>;

/**
 * `built`: the head, and the parts sorted by key; `parts` can be called repeatedly. A release is built despite bad
 * rows: check `summary.bad` before storing it. `nothing`: no row contains taxes of a place.
 */
export type Built =
  | {
      readonly outcome: 'built';
      readonly head: ReleaseHead;
      readonly parts: Parts;
      readonly summary: Summary;
    }
  | { readonly outcome: 'nothing'; readonly reason: string; readonly summary: Summary };

const citation = ({ describe }: Pick<Importer, 'describe'>, { files }: Summary, importedAt: string): string =>
  `${describe}: ${files.map(({ name }) => name).join(', ')}, imported on ${importedAt.slice(0, 10)}`;

/** Returns the statewide jurisdictions: the state itself, and taxes such as Tennessee's single article tax. */
const stateWide = ({ jurisdictions: [state, ...others] }: Release): Release['jurisdictions'] => [
  state,
  ...others.filter(({ type }) => type === 'state'),
];

type HeadDetails = Pick<ReleaseHead, 'counts' | 'last_day' | 'complete_from'> & {
  readonly summary: Summary;
  readonly registry: Registry;
};

const buildHead = (
  options: BuildOptions,
  { summary, registry, ...found }: HeadDetails,
): Omit<ReleaseHead, 'content_hash'> => {
  const { base, id, importer, importedAt, position } = options;
  const { local: _, ...taken } = base;
  const today = importedAt.slice(0, 10);
  const published = found.counts.jurisdictions > 1 && publishedIn(base.state, importer.format, summary.files, today);
  return {
    ...taken,
    ...remoteSales(base, importer),
    id,
    coverage: 'partial',
    sources: { ...base.sources, [source]: citation(importer, summary, importedAt) },
    jurisdictions: stateWide(base),
    rates: stateRates(base, registry.listRates(base.state)),
    locations: [],
    ...position,
    chain_until: position.chain.map(() => null),
    format: importer.format,
    imported_at: importedAt,
    ...(published && { published }),
    ...found,
  };
};

/** Returns the terms of remote sales without `may_differ` if the files have rates for such sales; otherwise `{}`. */
const remoteSales = ({ remote_sales }: Release, { hasRemoteRates }: BuildOptions['importer']) =>
  remote_sales && hasRemoteRates ? { remote_sales: remote_sales.filter(({ policy }) => policy !== 'may_differ') } : {};

/**
 * Returns whether an import's rules, settings, terms and state rates still match the base release. An update of Levy
 * can add dated values to a built-in release.
 */
export const matchesBase = (head: ReleaseHead, base: Release, importer: BuildOptions['importer']): boolean => {
  const hasOwnRates = head.rates.length > 0 && head.rates.every((rate) => rate.source === source);
  const rates = hasOwnRates ? head.rates : stateRates(base, []);
  const copied = { ...base, ...remoteSales(base, importer), jurisdictions: stateWide(base), rates };
  const names = [
    'rules',
    'settings',
    'remote_sales',
    'jurisdictions',
    'rates',
    'established_from',
    'established_to',
    'approximate_from',
  ] as const;
  return names.every((name) => isDeepStrictEqual(head[name], copied[name]));
};

/** Returns the state rate of the file, else of the base. In Nevada's file it is 0: its county rates include it. */
const stateRates = ({ rates, state }: Release, own: Release['rates']): Release['rates'] =>
  own.length > 0 ? own : rates.filter(({ jurisdiction }) => jurisdiction === state);

/** Notes rules and rounding tables of the base release whose jurisdictions are missing from the import. */
const noteLost = (base: Release, tally: Tally, used: ReadonlySet<string>): void => {
  const { rules, settings } = base;
  const known = new Set([...stateWide(base).map(({ code }) => code), ...used]);
  const isLost = (code: string) => !known.has(code);
  const lost = rules.filter(({ jurisdictions }) => jurisdictions?.every(isLost)).map(({ id }) => id);
  if (lost.length > 0)
    tally.note(`These rules have no effect, because the import lacks their jurisdictions: ${lost.join(', ')}.`);
  const brackets = settings.rounding.flatMap(({ policy }) => (policy.method === 'bracket' ? policy.brackets : []));
  const tables = [...new Set(brackets.map(({ jurisdiction }) => jurisdiction).filter(isLost))];
  if (tables.length > 0)
    tally.note(`These jurisdictions of rounding tables are not in the import: ${tables.join(', ')}.`);
};

/** Notes which custom rules are added and which are withdrawn. */
const noteOwn = (own: OwnRules | undefined, before: OwnRules | undefined, tally: Tally): void => {
  const [texts, old] = [ownTexts(own), ownTexts(before)];
  for (const text of texts) tally.note(`${text}${old.includes(text) ? ' (unchanged)' : ''}.`);
  for (const text of old) if (!texts.includes(text)) tally.note(`Withdrawn: ${text}.`);
};

const streetsNote = (zips: number): string =>
  `Street-address rows cover ${zips === 1 ? '1 ZIP' : `${zips} ZIPs`}. An address there whose \`line1\` matches no row is ambiguous if the rows and its ZIP have different jurisdictions.`;

/**
 * Builds a release of custom rules, which replace the custom rules of the active release. An empty file withdraws them.
 */
const buildOwn = async (options: BuildOptions, { own: read, tally, registry }: Collection): Promise<Built> => {
  const before = options.position.own;
  if (!read) return { outcome: 'nothing', reason: notWhole, summary: tally.summary() };
  const own = ownCounts(read) === '' ? undefined : read;
  if (!own && !before) return { outcome: 'nothing', reason: nothingOwned, summary: tally.summary() };
  noteOwn(own, before, tally);
  const summary = tally.summary();
  const counts = { parts: 0, zips: 0, jurisdictions: 1, rates: 0, locations: 0, streets: 0 };
  const { own: _, ...head } = buildHead(options, { summary, registry, counts, last_day: null });
  const owned = own ? { ...head, own } : head;
  return {
    outcome: 'built',
    head: { ...owned, content_hash: await contentHash(owned, []) },
    parts: async function* () {},
    summary,
  };
};

/**
 * Builds a release from entries in constant memory: spans spill to files, and are read back one three-digit ZIP at a
 * time. Every part contains the jurisdictions and rates that it refers to.
 */
export const buildRelease = async (options: BuildOptions): Promise<Built> => {
  const { entries, base, importer } = options;
  const evidence: Evidence = { source, confidence: importer.confidence };
  const collection = newCollection(options.tempFolder, stateOfJurisdiction(base.state), evidence);
  const { tally, registry, streetRows } = collection;
  for await (const entry of entries) collect(collection, entry);
  if (isOwnOnly(importer)) return buildOwn(options, collection);
  const path = join(options.tempFolder, 'parts.jsonl');
  const { last_day, ...written } = await writeParts(collection, evidence, path);
  if (written.parts === 0) return { outcome: 'nothing', reason: nothingFound, summary: tally.summary() };
  noteLost(base, tally, registry.used);
  if (streetRows.zips > 0) tally.note(streetsNote(streetRows.zips));
  const rates = [base.state, ...registry.used].reduce((sum, code) => sum + registry.listRates(code).length, 0);
  const summary = tally.summary();
  const counts = { ...written, rates, jurisdictions: registry.used.size + 1 };
  const { completeFrom } = collection;
  const days = { last_day, ...(completeFrom !== null && { complete_from: completeFrom }) };
  const head = buildHead(options, { summary, registry, counts, ...days });
  const content_hash = await contentHash(head, readParts(path));
  return { outcome: 'built', head: { ...head, content_hash }, parts: () => readParts(path), summary };
};
