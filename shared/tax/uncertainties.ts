import { addDays, daysBetween, earlierEnd } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';
import { type Dated, isApproximateOn, settingOn } from '../catalog/effective.ts';
import type { Release, Rule } from '../catalog/release.ts';
import { type Evidence, isPerInvoice, type Jurisdiction, type Rounding } from '../catalog/release-values.ts';
import { decimal } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { minorUnit, type Treatment, type Uncertainty } from './assessment.ts';
import {
  listPlaces,
  type Place,
  type TaxDocument,
  type TaxedDocument,
  type TaxedProduct,
  type TaxRow,
} from './document.ts';
import { effectDefinition } from './effects/effects.ts';
import { chooseRule, type DecidingRule, type Taxing } from './rule-choice.ts';

/** Reports that the content does not cover a product on a day, in one jurisdiction or in all of them (`null`). */
export const notCovered = (
  { name, id }: Release,
  { product, day }: Pick<TaxedProduct, 'product' | 'day'>,
  jurisdiction: Jurisdiction | null,
): Uncertainty => ({
  code: 'not_covered',
  message: `${name}: ${id} does not cover ${product.path} on ${day}. No tax${jurisdiction ? ` of ${jurisdiction.name}` : ''} was calculated on it.`,
});

/** Reports that a rule cannot be applied because its amounts are in a different currency than the document. */
export const otherCurrency = (
  { name }: Jurisdiction,
  { id }: DecidingRule,
  state: string,
  document: string,
): Uncertainty => ({
  code: 'not_covered',
  message: `${name}, rule ${id}: its amounts are in ${state}, but the document is in ${document}. This tax was not calculated.`,
});

/** Reports that a state's mandatory table was not applied, because the document is in a different currency. */
export const otherCurrencyTable = ({ name, currency }: Release, document: string): Uncertainty => ({
  code: 'content_unconfirmed',
  message: `${name}: its tax tables are in ${currency}, so the tax on this document in ${document} was rounded half up.`,
});

/** Returns whether the confidence in a value is below medium-high. */
export const isUnconfirmed = ({ confidence }: Evidence): boolean => confidence === 'medium' || confidence === 'low';

/**
 * Returns an uncertainty about a value of low or medium confidence. `what` describes the place and the value and is
 * called only if there is an uncertainty.
 */
export const uncertaintiesAbout = (evidence: Evidence & Partial<Dated>, what: () => string): readonly Uncertainty[] => {
  const { confidence, source } = evidence;
  if (!isUnconfirmed(evidence)) return [];
  // Some notes already end with a period.
  const note = (evidence.note ?? 'not confirmed by a primary source').replace(/\.$/, '');
  return [{ code: 'content_unconfirmed', message: `${what()}: ${note} (confidence ${confidence}, source ${source}).` }];
};

/**
 * Returns an uncertainty about a value that applies on a day before it is established, because no earlier one is on
 * record. `what` describes the place and the value.
 */
export const uncertaintiesAboutDay = (
  value: Dated,
  what: () => string,
  day: string,
  release: Release,
): readonly Uncertainty[] => {
  if (!isApproximateOn(value, day, release)) return [];
  const message = `${what()}: no value for ${day} is on record; the value for ${earlierEnd(value.to, release.established_from)} was used. To replace it, import custom rules.`;
  return [{ code: 'content_approximate', message }];
};

// A holiday, or a month with a holiday on unknown days. Exempt groceries for some months are not a yearly holiday.
const isHoliday = ({ from, to, effect }: Rule): boolean =>
  from !== null && to !== null && daysBetween(from, to) < 60 && effect.type !== 'exempt';

const listHolidayYears = ({ rules }: Release): readonly number[] =>
  rules.filter(isHoliday).map(({ to }) => Number(to?.slice(0, 4)));

// Keyed by list of rules, which all parts of a release share.
const holidayYears = new WeakMap<Release['rules'], readonly number[]>();

/**
 * Returns an uncertainty about a product on a day whose year has no holidays on record, if the nearest year on record
 * has a holiday within eight days of the same weekday: a holiday on the third Sunday in August moves by up to a week.
 * Steps of 364 days drift by 1.25 days a year, so this works only for a few years.
 */
export const uncertaintiesAboutHolidays = (
  release: Release,
  jurisdiction: Taxing,
  product: ProductTaxCode,
  day: string,
): readonly Uncertainty[] => {
  const years = getOrAdd(holidayYears, release.rules, () => listHolidayYears(release));
  if (years.length === 0) return [];
  const year = Number(day.slice(0, 4));
  const isLater = year > Number(release.id.slice(6, 10));
  const nearest = isLater ? Math.max(...years) : Math.min(...years);
  const isNear = (days: number) =>
    chooseRule(release, jurisdiction, product, addDays(day, days - 364 * (year - nearest)), isHoliday);
  const isOnRecord = isLater ? year <= nearest : year >= nearest;
  // Every second day is enough, because no holiday is shorter than two days.
  if (isOnRecord || ![-8, -6, -4, -2, 0, 2, 4, 6, 8].some(isNear)) return [];
  const message = `${release.name}: the holidays of ${year} are not on record. In ${nearest}, one was near this day. Compare with the state's list.`;
  return [{ code: 'content_approximate', message }];
};

const ruleName = ({ id }: DecidingRule, { name }: Release): string => `${name}, rule ${id}`;

/**
 * Returns the uncertainties about the rule for a product and its buyer, or about the lack of a rule. A message about a
 * rule names the state, not the jurisdiction: one rule gives one message, so clients get it once.
 */
export const uncertaintiesAboutRule = (
  rule: DecidingRule | undefined,
  { product, use }: Pick<TaxedProduct, 'product' | 'use'>,
  jurisdiction: Jurisdiction,
  release: Release,
): readonly Uncertainty[] => {
  if (!rule) {
    const message = `${jurisdiction.name}: no rule for ${product.canonical}; it was taxed as general goods.`;
    return [{ code: 'taxability_not_established', message }];
  }
  const uncertainty = effectDefinition(rule.effect).uncertainty?.(rule.effect, { product, use });
  const what = ruleName(rule, release);
  return [
    // "Not established" is stronger than "not confirmed".
    ...(uncertainty?.code === 'taxability_not_established' ? [] : uncertaintiesAbout(rule, () => what)),
    ...(uncertainty ? [{ ...uncertainty, message: `${what}: ${uncertainty.message}` }] : []),
    ...(rule.assumption_above ? [] : listAssumptions(rule, release)),
  ];
};

const listAssumptions = (rule: DecidingRule, release: Release): readonly Uncertainty[] =>
  rule.assumption ? [{ code: 'taxability_assumed', message: `${ruleName(rule, release)}: ${rule.assumption}` }] : [];

/** Returns the assumption of a rule that matters only to units above an amount. */
export const findAssumptionAbove = (rule: DecidingRule | undefined, release: Release): Treatment['aboveAmount'] =>
  rule?.assumption_above
    ? { amount: decimal(rule.assumption_above), uncertainties: listAssumptions(rule, release) }
    : undefined;

/** An uncertainty about how a state rounds, and the index of the first line that it applies to. */
type RoundingUncertainty = { readonly uncertainty: Uncertainty; readonly charge: number };

/** The exact tax of rows of one state that are rounded together, and the index of their first charge. */
type Total = { readonly charge: number; readonly exact: bigint };

/** Sums the rows of a state (`US-CA`) that are rounded together: of a charge, or of the invoice if `perInvoice`. */
const sumRounded = (lines: TaxedDocument['lines'], state: string, perInvoice: boolean, policy: Rounding): Total[] => {
  // Each table has a separate total. Rows without a table are rounded together.
  const invoiceKey = ({ jurisdiction, rate }: TaxRow) =>
    policy.method === 'bracket' ? `${jurisdiction.code} ${rate}` : 'invoice';
  const totals = new Map<string | number, Total>();
  for (const [charge, { rows }] of lines.entries())
    for (const row of rows.filter(({ jurisdiction }) => jurisdiction.code.startsWith(state))) {
      const key = perInvoice ? invoiceKey(row) : charge;
      const total = totals.get(key) ?? { charge, exact: 0n };
      totals.set(key, { ...total, exact: total.exact + row.exact });
    }
  return [...totals.values()];
};

/**
 * Returns one uncertainty per state whose rounding is unconfirmed, if rounding changed the tax. Exact taxes that add up
 * to whole cents are the same with any rounding.
 */
export const roundingUncertainties = (
  document: TaxDocument,
  { lines }: TaxedDocument,
): readonly RoundingUncertainty[] => {
  const { day, currency, rounding } = document;
  const releases = new Map(listPlaces(document).map(({ code, release }) => [code, release]));
  const uncertainties: RoundingUncertainty[] = [];
  for (const [state, release] of releases) {
    // In other currencies the state's tables are not used, and a separate warning reports it.
    const setting = release?.currency === currency ? settingOn(release.settings.rounding, day) : undefined;
    if (!release || !setting || !isUnconfirmed(setting)) continue;
    const perInvoice = rounding === 'invoice' || isPerInvoice(setting.policy);
    const totals = sumRounded(lines, state, perInvoice, setting.policy);
    const rounded = totals.find(({ exact }) => exact % minorUnit !== 0n);
    if (!rounded) continue;
    for (const uncertainty of uncertaintiesAbout(setting, () => `${release.name}, rounding`))
      uncertainties.push({ uncertainty, charge: rounded.charge });
  }
  return uncertainties.sort((left, right) => left.charge - right.charge);
};

/** Returns the setting for third-party discounts, such as manufacturers' coupons. */

const couponSetting = ({ release }: Place, day: string) => settingOn(release?.settings.coupons ?? [], day);

/** Returns whether a third party's discount lowers the taxable price at a place. */
export const couponReducesPrice = (place: Place, day: string): boolean =>
  couponSetting(place, day)?.policy === 'reduces_price';

/** Returns the uncertainties about how the state treats a third party's discount. */
export const uncertaintiesAboutCoupons = (place: Place, day: string): readonly Uncertainty[] => {
  const setting = couponSetting(place, day);
  if (setting) return uncertaintiesAbout(setting, () => `${place.name}, discounts that third parties pay`);
  const message = `${place.name}: whether a discount that a third party pays lowers the taxable price is not established. Levy assumes that it does not.`;
  return [{ code: 'content_unconfirmed', message }];
};
