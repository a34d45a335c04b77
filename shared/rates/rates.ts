import * as z from 'zod/mini';
import type { Settings } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { described } from '../base/described.ts';
import { accept, type Problem, problemPointer, type Result, refuse } from '../base/result.ts';
import {
  placeUncertainties,
  resolutionWarnings,
  uncertaintyWarnings,
  type WarningDays,
} from '../calculations/address-warnings.ts';
import { policyProblem } from '../calculations/document.ts';
import { citeRate } from '../calculations/explain/step.ts';
import { day, text } from '../calculations/fields.ts';
import { contentReleases, type LocatedLine, locateAddress } from '../calculations/locate-lines.ts';
import { notPassedOn, remoteWarning } from '../calculations/rate-warnings.ts';
import type { Warning } from '../calculations/response.ts';
import type { LoadContent } from '../catalog/content.ts';
import { addressesByState, isAbroad, readAddress, sentState, splitCity } from '../catalog/location/address.ts';
import { rateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { type Jurisdiction, type Rate, rateDecimals } from '../catalog/release-values.ts';
import { decimalText } from '../money/decimal.ts';
import { goodsRate, type ScaledRate } from '../tax/assessment.ts';
import { hasGeneralExcise, visibleRates } from '../tax/general-excise.ts';
import { uncertaintiesAbout, uncertaintiesAboutDay } from '../tax/uncertainties.ts';
import type { JurisdictionRate, Rates } from './response.ts';

const part = z.optional(text(500));

const example = (value: string) => ({ param: { example: value } });

/** The query parameters of GET /rates: the parts of an address and a tax date. */
export const RatesQuery = z.object({
  postal_code: described(part, 'ZIP code or ZIP+4. Required unless `city` and `state` are sent.', example('55401')),
  city: described(part, 'City. Default: the main city of the ZIP code.', example('Minneapolis')),
  state: described(part, 'State: its two-letter code or its name.', example('MN')),
  county: described(part, 'County. It selects one of the counties that a ZIP code spans.'),
  line1: described(
    part,
    'House number and street. It is used in ZIP codes for which the tax content has street addresses.',
    example('150 N Main St'),
  ),
  country: described(part, 'ISO 3166 two-letter code. Default: `US`.'),
  date: described(
    z.optional(day),
    "The tax date, past or future. Default: today in the account's time zone.",
    example('2026-11-22'),
  ),
});
export type RatesQuery = z.infer<typeof RatesQuery>;

const missing = (parameter: string): Problem => ({
  code: 'validation_required_field',
  title: `Missing parameter ${parameter}`,
  detail: 'Send postal_code, or city and state.',
  source: { parameter },
});

/** Returns the problem if an address has too few fields to find local rates, otherwise `null`. */
const tooLittle = (query: RatesQuery): Problem | null => {
  if (query.postal_code?.trim() || isAbroad(query)) return null;
  if (!query.city?.trim()) return missing('postal_code');
  return sentState(query) === '' && splitCity(query.city ?? '').state === null ? missing('state') : null;
};

/** Replaces the pointer in an address problem with the query parameter. */
const inQuery = ({ postal_code, city }: RatesQuery, problem: Problem): Problem => {
  const [, name] = problemPointer(problem).split('/');
  return { ...problem, source: { parameter: name ?? (postal_code ? 'postal_code' : city ? 'city' : 'country') } };
};

const asRefusal = ([first, ...others]: readonly [Problem, ...Problem[]], query: RatesQuery): Result<never> =>
  refuse(inQuery(query, first), ...others.map((problem) => inQuery(query, problem)));

type Rated = {
  readonly jurisdiction: Jurisdiction;
  readonly rate: Rate;
  /** The charged rate on general goods: the rate, or its share of a visible rate. */
  readonly charged: ScaledRate;
};

// Jurisdictions without a general rate, such as a band, are left out.
const rateJurisdictions = (
  release: Release,
  { place: { jurisdictions } }: LocatedLine,
  day: string,
  { pass_on_general_excise }: Settings,
): readonly Rated[] => {
  const rated = jurisdictions.flatMap((jurisdiction) => {
    const rate = rateOn(release, jurisdiction.code, day);
    return rate ? [{ jurisdiction, rate, charged: goodsRate(rate, true) }] : [];
  });
  if (!pass_on_general_excise || !hasGeneralExcise(jurisdictions)) return rated;
  const visible = visibleRates(rated.map(({ charged }) => charged));
  return rated.map((one, index) => ({ ...one, charged: visible[index] ?? one.charged }));
};

const sumRates = (rated: readonly Rated[]): bigint => rated.reduce((sum, { charged }) => sum + charged.units, 0n);

const toRateRow = (release: Release, { jurisdiction, rate, charged }: Rated): JurisdictionRate => ({
  jurisdiction_code: jurisdiction.code,
  jurisdiction_name: jurisdiction.name,
  jurisdiction_type: jurisdiction.type,
  tax_type: jurisdiction.tax_type,
  rate: charged.text,
  reporting_code: jurisdiction.reporting_code ?? null,
  source: citeRate(release, rate.source, charged.grossedUp),
  confidence: rate.confidence,
});

const notEstablished = ({ name, id }: Release, day: string): Warning => ({
  code: 'not_covered',
  message: `${name}: its rates on ${day} are not established in ${id}.`,
  pointer: null,
});

// The warning applies only if no rate is a share of a visible rate.
const exciseWarnings = ({ place: { name } }: LocatedLine, rated: readonly Rated[]): Warning[] =>
  hasGeneralExcise(rated.map(({ jurisdiction }) => jurisdiction)) && !rated.some(({ charged }) => charged.grossedUp)
    ? [notPassedOn(name, sumRates(rated), null)]
    : [];

const chargedIn = (rated: readonly Rated[]): Jurisdiction[] =>
  rated.flatMap(({ jurisdiction, charged }) => (charged.units > 0n ? [jurisdiction] : []));

/** Returns the uncertainties about a general rate. Approximate local rates have a separate warning for the address. */
const rateUncertainties = (located: LocatedLine, { rate, jurisdiction }: Rated, day: string): Warning[] => {
  const what = () => `${jurisdiction.name}, general rate`;
  const { release } = located.place;
  const aboutDay = release && jurisdiction.type === 'state' ? uncertaintiesAboutDay(rate, what, day, release) : [];
  return uncertaintyWarnings([...uncertaintiesAbout(rate, what), ...aboutDay], '');
};

const listWarnings = (located: LocatedLine, rated: readonly Rated[], days: WarningDays): Warning[] => {
  const { release, jurisdictions } = located.place;
  const { day } = days;
  const isUnknown = located.resolution.coverage === 'none' && release !== null && jurisdictions.length > 0;
  const warnings = [
    ...resolutionWarnings(located, days, false),
    ...(isUnknown ? [notEstablished(release, day)] : placeUncertainties(located, days)),
    ...rated.flatMap((one) => rateUncertainties(located, one, day)),
    ...exciseWarnings(located, rated),
    ...remoteWarning(located, chargedIn(rated), day, null),
  ];
  // Deduplicates the warnings. There is no request body, so the pointer is `null`.
  return [
    ...new Map(
      warnings.map((warning) => [`${warning.code} ${warning.message}`, { ...warning, pointer: null }]),
    ).values(),
  ];
};

const echoAddress = ({ line1, city, county, state, postal_code, country }: RatesQuery): Rates['address'] => ({
  line1: line1 ?? null,
  city: city ?? null,
  county: county ?? null,
  state: state ?? null,
  postal_code: postal_code ?? null,
  country: country ?? null,
});

const buildResponse = (query: RatesQuery, located: LocatedLine, days: WarningDays, settings: Settings): Rates => {
  const { day } = days;
  const { release } = located.place;
  const isCovered = release !== null && located.resolution.coverage !== 'none';
  const rated = isCovered ? rateJurisdictions(release, located, day, settings) : [];
  return {
    object: 'rates',
    date: day,
    address: echoAddress(query),
    address_resolution: located.resolution,
    combined_rate: isCovered ? decimalText({ units: sumRates(rated), scale: rateDecimals }) : null,
    jurisdictions: isCovered ? rated.map((one) => toRateRow(release, one)) : [],
    warnings: listWarnings(located, rated, days),
    content_releases: contentReleases([located]),
  };
};

/** `now` returns the current time in milliseconds. */
type RatesPorts = { readonly loadContent: LoadContent; readonly now: () => number };

/**
 * Finds the general rates on a sale from a different state to an address on a day (default: today in the account's time
 * zone), as decimal fractions with their exact sum. The account's policies apply as for a calculation.
 *
 * Refusals: `validation_required_field` without a ZIP or a city and state, `validation_address_unresolvable`, and
 * `validation_not_covered` if the account rejects incomplete coverage. Throws if content cannot be read.
 */
export const findRates = async (
  query: RatesQuery,
  settings: Settings,
  { loadContent, now }: RatesPorts,
): Promise<Result<Rates>> => {
  const lacking = tooLittle(query);
  if (lacking) return refuse(lacking);
  const address = readAddress(query, '');
  if (!address.ok) return asRefusal(address.problems, query);
  const releaseFor = await loadContent(addressesByState(address.value));
  const nowMs = now();
  const day = query.date ?? taxDateAt(nowMs, settings.time_zone).slice(0, 10);
  const located = locateAddress(address.value, { settings, releaseFor }, day);
  const rejected = policyProblem(located, settings);
  return rejected ? asRefusal([rejected], query) : accept(buildResponse(query, located, { day, nowMs }, settings));
};
