import { assert } from '../base/assert.ts';
import { type Jurisdiction, rateDecimals } from '../catalog/release-values.ts';
import { formatAmount } from '../money/currency.ts';
import { decimalText, powerOfTen } from '../money/decimal.ts';
import type { ScaledRate, Treatment } from './assessment.ts';
import { taxedAt } from './effects/plain.ts';

/** Where the highest visible rate of Hawaii's general excise tax, the only one in the content, is published. */
export const visibleRateSource = 'Hawaii Department of Taxation, Announcement 2018-14 (highest visible rate)';

/** Decimals of a visible rate: the department cuts 4 / 96 to 4.1666 %, and 4.5 / 95.5 to 4.7120 %. */
export const visibleDecimals = 6;

const whole = powerOfTen(rateDecimals);
const step = powerOfTen(rateDecimals - visibleDecimals);

const truncate = (units: bigint): bigint => units - (units % step);

const formatRate = (units: bigint): string => formatAmount(units / step, visibleDecimals);

/**
 * The highest rate at which a seller may show a tax on gross receipts that has this rate: `rate / (1 - rate)`,
 * truncated to six decimals. It covers the tax on the tax, because what the buyer pays for it counts as gross receipts.
 * Both rates are in units of `10^-rateDecimals`. The rate is below 1.
 */
export const visibleRate = (rate: bigint): bigint => {
  assert(rate < whole, 'a tax on gross receipts is below 100 %');
  return truncate((rate * whole) / (whole - rate));
};

const sumRates = (rates: readonly ScaledRate[]): bigint => rates.reduce((sum, { units }) => sum + units, 0n);

/**
 * The visible rate of rates on the same gross receipts, in proportion to them: each share is truncated to six decimals,
 * but the share of the first rate above zero (the state's) is the rest, so that the shares sum to the visible rate. A
 * rate of zero stays as it is.
 */
export const visibleRates = (rates: readonly ScaledRate[]): readonly ScaledRate[] => {
  const owed = sumRates(rates);
  if (owed === 0n) return rates;
  const visible = visibleRate(owed);
  const shares = rates.map(({ units }) => truncate((visible * units) / owed));
  const rest = visible - shares.reduce((sum, share) => sum + share, 0n);
  const first = rates.findIndex(({ units }) => units > 0n);
  return rates.map((rate, index) => {
    if (rate.units === 0n) return rate;
    const units = (shares[index] as bigint) + (index === first ? rest : 0n);
    const grossedUp = {
      owed: rate.text,
      owedTogether: decimalText({ units: owed, scale: rateDecimals }),
      visible: formatRate(visible),
    };
    return { text: formatRate(units), units, grossedUp };
  });
};

/**
 * Whether a place has a general excise tax. Its local taxes are then parts of it, even if an import gives them another
 * type.
 */
export const hasGeneralExcise = (jurisdictions: readonly Pick<Jurisdiction, 'tax_type'>[]): boolean =>
  jurisdictions.some(({ tax_type }) => tax_type === 'general_excise');

const none: ScaledRate = { text: '0', units: 0n };

/** The rate on the whole price; `null` where the goods are exempt or the price decides. */
const findWholeRate = ({ effect: { wholeRate }, general }: Treatment): ScaledRate | null =>
  wholeRate === undefined ? null : wholeRate === 'general' ? general.rate : wholeRate.rate;

/**
 * The treatments of a product in one place at the visible rate, where its tax is a general excise tax. Exempt products
 * stay exempt. A product with another rate is taxed at the visible rate of that rate, because the seller owes no more.
 */
export const grossUpExcise = (treatments: readonly Treatment[]): readonly Treatment[] => {
  if (!hasGeneralExcise(treatments.map(({ jurisdiction }) => jurisdiction))) return treatments;
  const usual = visibleRates(treatments.map(({ general }) => general.rate));
  const charged = treatments.map(findWholeRate);
  const visible = visibleRates(charged.map((rate) => rate ?? none));
  return treatments.map((treatment, index): Treatment => {
    const { general, effect } = treatment;
    const { wholeRate } = effect;
    const [rate, ofAll] = [visible[index] as ScaledRate, usual[index] as ScaledRate];
    if (wholeRate !== undefined && wholeRate !== 'general')
      return { ...treatment, general: { ...general, rate: ofAll }, effect: taxedAt({ ...wholeRate, rate }) };
    return { ...treatment, general: { ...general, rate: charged[index] ? rate : ofAll } };
  });
};
