import * as z from 'zod/mini';
import {
  array,
  boolean,
  component,
  described,
  nullable,
  nullableString,
  string,
  stringEnum,
} from '../base/described.ts';
import { count, date, objectType, rate, timestamp } from '../base/response-scalars.ts';
import { confidence, treatment } from '../vocabulary/treatment.ts';

/** How completely a release covers local taxes. */
const localRates = ['complete', 'partial', 'none'] as const;
export type LocalRates = (typeof localRates)[number];

/** How a release finds the local rates of an address. */
const localBases = ['by_place', 'by_file', 'not_levied', 'none'] as const;

const SubjectCoverage = component('SubjectCoverage', 'How a state taxes a kind of goods, or shipping.', {
  treatment: described(
    treatment,
    'The treatment in one word. `by_level`, `by_use` and `by_product` mean that the treatment depends on further facts, which `text` names. `other_tax`: another tax applies in place of sales tax. `not_established` goods are taxed as general goods, with a warning.',
    { title: 'Treatment' },
  ),
  text: string('The treatment in one sentence.'),
  confidence: nullable(
    confidence,
    'The lowest confidence of the rules for goods without attributes. `null` if no rule is established.',
  ),
  rule_ids: array(z.string(), 'The content rules that apply.'),
  citations: array(z.string(), 'The laws or publications that the rules rely on.'),
});
export type SubjectCoverage = z.infer<typeof SubjectCoverage>;

const GeneralRate = component('GeneralRate', 'The general rate of a state.', {
  rate,
  from: nullableString('The first day of the rate. `null` if it is not established.'),
  to: nullableString('The last day of the rate. `null` if the rate has no end date.'),
  confidence,
  citation: nullableString('The law or publication that states the rate.'),
});
export type GeneralRate = z.infer<typeof GeneralRate>;

const share = string('A fraction with four decimals.', { pattern: '^[01]\\.\\d{4}$' });

const LocalCoverage = component(
  'LocalCoverage',
  'How Levy finds the taxes below the state, and how much of them is missing.',
  {
    basis: stringEnum(
      'LocalRateBasis',
      localBases,
      'How Levy finds the local rates of an address: `by_place` (ZIP code and name of the city), `by_file` (an imported file of the state), `not_levied` (the state has no local taxes) or `none` (the local rates are not known).',
    ),
    as_of: nullable(date, 'The date of the newest source, or of the import. `null` if no local rate is known.'),
    oldest_as_of: nullable(date, 'The date of the oldest source of a rate in force. `null` if no local rate is known.'),
    share_outdated: nullable(
      share,
      "The share of `areas` whose rate is older than its publisher's update interval, or of unknown age: a fraction with four decimals. A response with an outdated rate has the warning `local_rates_outdated`. `null` if it is not known.",
    ),
    areas: nullable(
      count,
      'The number of areas with an established rate: places and counties, or the ZIP codes and cities of imported files. `null` if it is not known.',
    ),
    places_missing: nullable(
      count,
      'The number of places that levy a tax, or might levy one, and have no established rate. An address there has coverage `partial`. `null` if it is not known.',
    ),
    share_missing: nullable(
      share,
      'The share of `places_missing` in all places that are known to levy a tax: a fraction with four decimals. `null` if it is not known.',
    ),
  },
);
export type LocalCoverage = z.infer<typeof LocalCoverage>;

const Gate = component('ContentGate', 'A limit that a release must meet before an update activates it.', {
  name: string('The name of the gate.'),
  text: string('What it measures.'),
  figure: described(z.number(), 'The measured value.'),
  most: described(z.number(), 'The gate passes if the value is at most this.'),
  unit: string('The unit of both; empty for a count.'),
  passed: boolean('Whether the gate passes.'),
});

const ProposedRate = component('ProposedRate', 'A rate that differs between two releases.', {
  jurisdiction: string('The code of the jurisdiction.'),
  name: string('The name of the jurisdiction.'),
  kind: string(
    'Which rate: `general`, `food`, or those for sales from other states, `general_interstate` and `food_interstate`.',
  ),
  from: nullable(date, 'The first day of the change. `null` if it is open.'),
  to: nullable(date, 'The last day. `null` if it is open.'),
  before: nullable(rate, 'The rate of the active release. `null` if it has none.'),
  after: nullable(rate, 'The rate of the proposed release. `null` if it has none.'),
});

const ProposedChanges = component('ProposedChanges', 'What changes if the proposed release replaces the active one.', {
  against: string('The release that was active.'),
  count: described(count, 'The number of rates that change.'),
  rates: array(ProposedRate, 'The first 100 of them, by jurisdiction.'),
});

const Proposal = component(
  'ProposedRelease',
  'A release of official rates that was never active. An operator compares it with `npm run content -- diff` and activates it with `npm run content -- activate`.',
  {
    imported_at: nullable(timestamp, 'When its files were imported.'),
    gates: array(Gate, 'The gates. Empty before they are measured.'),
    held: nullableString('Why an update does not activate it. `null` if an update can activate it.'),
    changes: nullable(
      ProposedChanges,
      'The rates that change against the release that was active. `null` before they are compared.',
    ),
  },
);

const SourceCoverage = component(
  'SourceCoverage',
  'Where the content of a state comes from, and how old its official files are.',
  {
    origin: string(
      'Where the active release comes from: `built_in`, or the import format of its files, such as `sst`.',
    ),
    publisher: nullableString('Who publishes the official rates. `null` if the state has no general sales tax.'),
    addresses: array(
      z.string(),
      'The addresses of the official files, or of the pages that link to them. Empty if Levy cannot import what the publisher offers.',
    ),
    release: nullableString(
      'The release that Levy imported from the newest official files. `null` if no update has imported any.',
    ),
    in_use: boolean(
      'Whether `release` is active, or below the active release. A new release is not in use until it is activated.',
    ),
    proposal: nullable(Proposal, 'Details of `release` while it awaits a decision to activate it, otherwise `null`.'),
    as_of: nullable(
      date,
      'The date of the newest official file, in use or not: from its name, else the date of its last change, else of its import. Without a file, the date of the local rates. `null` if neither is known.',
    ),
    next_expected: nullable(
      date,
      'The next file is due by this date: a week after the next month, quarter, half-year or year begins. `null` without a file.',
    ),
    stale: boolean(
      'True if the next file is overdue, or if updates have failed for a week. False if no update has ever run.',
    ),
    stale_reason: nullableString('Why the files are stale. `null` if they are not.'),
  },
);
export type SourceCoverage = z.infer<typeof SourceCoverage>;

const Attribution = component('Attribution', 'A source whose license requires attribution.', {
  name: string('The name of the source.'),
  url: string('Where the data comes from.'),
  license: string('The license of the data.'),
  license_url: nullableString('The text of the license. `null` if there is none.'),
  text: string('What Levy uses of the data, and what it changed.'),
});

const StateRelease = component('StateRelease', 'A release of the tax content of a state.', {
  id: string('The id of the release, as calculations name it.'),
  active: boolean('Whether calculations use it now.'),
  origin: string('`built_in`, the import format of its files, such as `sst`, or `own` (custom rules only).'),
  own_rules: boolean('Whether custom rules, rates or settings apply with it.'),
  local_rates: stringEnum('LocalRateCoverage', localRates, 'The local rates that it covers today.'),
  last_day: nullable(date, 'The last day that its files cover. `null` without an end.'),
  imported_at: nullable(timestamp, 'When it was imported. `null` if it is built in.'),
  activated_at: nullable(timestamp, 'When it was activated. `null` if it is not active, or was active from the start.'),
  jurisdictions: nullable(count, 'The number of its jurisdictions. `null` if it is built in.'),
  rates: nullable(count, 'The number of its rates. `null` if it is built in.'),
});
export type StateRelease = z.infer<typeof StateRelease>;

const StateCoverage = component('StateCoverage', 'What the active release covers in a state, and what it does not.', {
  state: string('The two-letter code of the state.'),
  name: string('The name of the state.'),
  release: string('The active release.'),
  as_of: string('The date of the release.'),
  general_rate: nullable(GeneralRate, "The state's general rate today. `null` if it is not established."),
  local_rates: stringEnum(
    'LocalRateCoverage',
    localRates,
    'The taxes below the state: `complete` (all are known, or there are none), `partial` (some are missing, see `local`) or `none`. `notes` states how many are listed and until when. Every response with missing local rates has a warning.',
  ),
  local: LocalCoverage,
  source: SourceCoverage,
  clothing: described(SubjectCoverage, 'Clothing for everyday wear.'),
  groceries: described(SubjectCoverage, 'Food for home consumption.'),
  candy: described(SubjectCoverage, 'Candy.'),
  soft_drinks: described(SubjectCoverage, 'Soft drinks.'),
  digital_goods: described(SubjectCoverage, 'Downloaded audio, video and books.'),
  saas: described(SubjectCoverage, 'Software as a service.'),
  shipping: described(SubjectCoverage, 'Delivery charges that are stated separately.'),
  notes: array(z.string(), 'What is missing, unconfirmed, corrupt or about to change.'),
  releases: nullable(
    z.array(StateRelease),
    'All releases of the state, the oldest first. `notes` names those whose data is corrupt. `null` without `expand=releases`.',
  ),
});
export type StateCoverage = z.infer<typeof StateCoverage>;

/** The response of GET /coverage. */
export const Coverage = component('Coverage', 'What the active releases cover in each state.', {
  object: objectType('coverage'),
  tax_date: string('The date of the rates and rules: today in UTC.', { format: 'date' }),
  states: array(StateCoverage, 'The coverage of each state.'),
  attribution: array(Attribution, 'The sources whose licenses require attribution.'),
});
export type Coverage = z.infer<typeof Coverage>;
