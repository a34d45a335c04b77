import type { GateResult } from '../catalog/content.ts';
import { type Dated, firstInForce, settingOn } from '../catalog/effective.ts';
import { stateRateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import type { Rate } from '../catalog/release-values.ts';
import { type Publisher, publishers } from '../importers/updates/publishers.ts';
import { staleness, type UpdateRecord } from '../importers/updates/staleness.ts';
import { couponsInWords, effectInWords, policyInWords, seasonInWords, sentence } from '../tax/rule-words.ts';
import { isUnconfirmed } from '../tax/uncertainties.ts';
import { asHead, localCoverageOn, localNotes, localRatesOn, releaseDay } from './local-rates.ts';
import type { GeneralRate, SourceCoverage, StateCoverage, SubjectCoverage } from './response.ts';
import { coveredBy, subjectCoverage } from './subject.ts';

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
    stale: age?.reason != null,
    stale_reason: age?.reason ?? null,
  };
};

const ownNamedMax = 20;

/** The kinds of goods that coverage reports, by their product tax codes. */
export const subjects = {
  clothing: ['CLOTHING.APPAREL'],
  groceries: ['FOOD.GROCERY'],
  candy: ['FOOD.CANDY'],
  soft_drinks: ['BEVERAGES.SOFT_DRINKS'],
  digital_goods: ['DIGITAL.DIGITAL_AUDIO', 'DIGITAL.DIGITAL_VIDEO', 'DIGITAL.EBOOKS'],
  saas: ['SOFTWARE.SAAS'],
} as const;
export type Subject = keyof typeof subjects;

const generalRate = ({ sources }: Release, { rate, from, to, confidence, source }: Rate): GeneralRate => {
  const citation = sources[source] ?? null;
  return { rate, from, to, confidence, citation };
};

const shippingCoverage = (release: Release, day: string): SubjectCoverage => {
  const own = subjectCoverage(release, ['SHIPPING.DELIVERY._SEPARATELY_STATED'], day);
  const setting = firstInForce(release.settings.shipping, day, release.established_from);
  if (!setting || own.treatment === 'not_subject_to_tax') return own;
  const policyId = `${release.state.slice('US-'.length).toLowerCase()}-shipping`;
  const isByPolicy = own.rule_ids[0] === policyId && own.treatment !== 'by_level';
  if (!isByPolicy && own.treatment !== 'not_established')
    return { ...own, text: `${own.text} For other charges, ${policyInWords[setting.policy]}.` };
  const treatment = setting.policy === 'always_taxable' ? 'taxable' : setting.policy;
  return coveredBy(release, treatment, sentence(policyInWords[setting.policy]), [setting], []);
};

const span = ({ from, to }: Dated) => [from ? `from ${from}` : '', to ? `to ${to}` : ''].filter(Boolean).join(' ');

const holidayNotes = (release: Release, day: string): string[] =>
  release.rules
    .filter(({ effect, to }) => effect.type === 'holiday' && (to === null || day <= to))
    .map(
      (rule) =>
        `Sales-tax holiday ${[span(rule), seasonInWords(rule)].filter(Boolean).join(', ')}: ${rule.ptcs.join(', ')} ${effectInWords(rule.effect)}.`,
    );

const rateNotes = (release: Release, rate: Rate | undefined, day: string): string[] => {
  const later = release.rates.filter(
    ({ jurisdiction, from }) => jurisdiction === release.state && from !== null && day < from,
  );
  return [
    ...(rate ? [] : [`The general rate on ${day} is not established.`]),
    ...(rate && rate.from === null
      ? [`The first day of the general rate is not established: Levy uses the rate from ${release.established_from}.`]
      : []),
    ...(rate?.note ? [rate.note] : []),
    ...later.map((next) => `The general rate is ${next.rate} ${span(next)}.`),
  ];
};

/** Describes the operator's custom values. Their citations start with `Own rules`. */
const ownNotes = ({ own }: Release, day: string): string[] => {
  if (!own) return [];
  const current = (values: readonly Dated[]) => values.filter(({ to }) => to === null || day <= to).length;
  const { rules, rates, settings } = own;
  const others = Object.values(settings).reduce((sum, values) => sum + current(values), 0);
  const ids = [...new Set(rules.map(({ id }) => id))];
  const named = ids.length > 0 && ids.length <= ownNamedMax ? ` (${ids.join(', ')})` : '';
  return [
    `Custom rules take precedence over the content. Rules: ${current(rules)}${named}. Rates: ${current(rates)}. Settings: ${others}.`,
  ];
};

/** Describes how third-party discounts are treated, if it differs from the usual treatment or is unconfirmed. */
const couponNotes = ({ settings }: Release, day: string): string[] => {
  const setting = settingOn(settings.coupons, day);
  if (!setting) return [];
  if (isUnconfirmed(setting)) return [`Not confirmed by a primary source: ${couponsInWords[setting.policy]}.`];
  return setting.policy === 'reduces_price' ? [sentence(couponsInWords.reduces_price)] : [];
};

const subjectNotes = (covered: Readonly<Record<string, SubjectCoverage>>): string[] => {
  const named = (isMeant: (subject: SubjectCoverage) => boolean) =>
    Object.entries(covered)
      .filter(([, subject]) => isMeant(subject))
      .map(([name]) => name.replaceAll('_', ' '));
  const missing = named(({ treatment }) => treatment === 'not_established');
  const uncertain = named(({ confidence }) => confidence === 'medium' || confidence === 'low');
  return [
    ...(missing.length > 0 ? [`Not established: ${missing.join(', ')}.`] : []),
    ...(uncertain.length > 0 ? [`Not confirmed by a primary source: ${uncertain.join(', ')}.`] : []),
  ];
};

type GoodsCoverage = Readonly<Record<Subject, SubjectCoverage>>;
/** The coverage of goods by release, for the day last used. Computing all states takes tens of milliseconds. */
const latestGoods = new WeakMap<Release, { readonly day: string; readonly goods: GoodsCoverage }>();

const goodsCoverage = (release: Release, day: string): GoodsCoverage => {
  const latest = latestGoods.get(release);
  if (latest?.day === day) return latest.goods;
  const goods = Object.fromEntries(
    Object.entries(subjects).map(([subject, codes]) => [subject, subjectCoverage(release, codes, day)]),
  ) as GoodsCoverage;
  latestGoods.set(release, { day, goods });
  return goods;
};

/**
 * Returns the coverage of a state by a release on a day (`YYYY-MM-DD`), with the state's update record if there is one.
 * Computed from the release, never stored.
 */
export const stateCoverage = (release: Release, day: string, record: SourceRecord | null = null): StateCoverage => {
  const rate = stateRateOn(release, day);
  const covered = { ...goodsCoverage(release, day), shipping: shippingCoverage(release, day) };
  const isOver = release.established_to !== null && release.established_to < day;
  return {
    state: release.state.slice('US-'.length),
    name: release.name,
    release: release.id,
    as_of: releaseDay(release),
    general_rate: rate && !isOver ? generalRate(release, rate) : null,
    local_rates: localRatesOn(release, day),
    local: localCoverageOn(release, day),
    source: toSourceCoverage(release, record, day),
    ...covered,
    notes: [
      ...(isOver ? [`The release ends on ${release.established_to}.`] : []),
      ...rateNotes(release, rate, day),
      ...ownNotes(release, day),
      ...localNotes(release, day),
      ...subjectNotes(covered),
      ...couponNotes(release, day),
      ...holidayNotes(release, day),
    ],
    releases: null,
  };
};

/** Returns the coverage of releases, sorted by state. */
export const coverageOfAll = (
  releases: readonly Release[],
  day: string,
  records: SourceRecords = new Map(),
): StateCoverage[] =>
  releases
    .map((release) => stateCoverage(release, day, records.get(release.state.slice('US-'.length)) ?? null))
    .sort((left, right) => (left.state < right.state ? -1 : 1));
