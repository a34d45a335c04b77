import { assert } from '../base/assert.ts';
import { type Jurisdiction, rateDecimals } from '../catalog/release-values.ts';
import { formatAmount } from '../money/currency.ts';
import { decimalText, powerOfTen } from '../money/decimal.ts';
import type { ScaledRate, Treatment } from './assessment.ts';
import { taxedAt } from './effects/plain.ts';

/**
 * The source of the highest visible rates of Hawaii's general excise tax, the only general excise tax in the content.
 */
export const visibleRateSource = 'Hawaii Department of Taxation, Announcement 2018-14 (maximum visible rate)';

/** Decimals of a visible rate: the department truncates 4 / 96 to 4.1666 % and 4.5 / 95.5 to 4.7120 %. */
export const visibleDecimals = 6;

const whole = powerOfTen(rateDecimals);
const step = powerOfTen(rateDecimals - visibleDecimals);

const truncate = (units: bigint): bigint => units - (units % step);

const formatRate = (units: bigint): string => formatAmount(units / step, visibleDecimals);

/**
 * Returns the highest rate at which a seller may pass on a gross receipts tax of this rate: `rate / (1 - rate)`,
 * truncated to six decimals. It covers the tax on the tax, because the amount that the buyer pays for it is also gross
 * receipts. Both rates are in units of `10^-rateDecimals`. The rate must be below 1.
 */
export const visibleRate = (rate: bigint): bigint => {
  assert(rate < whole, 'a tax on gross receipts is 100 % or more');
  return truncate((rate * whole) / (whole - rate));
};

const sumRates = (rates: readonly ScaledRate[]): bigint => rates.reduce((sum, { units }) => sum + units, 0n);

/**
 * Splits the visible rate of several rates on the same gross receipts in proportion to the rates. Each share is
 * truncated to six decimals. The first rate above zero (the state's) gets the remainder, so the shares add up to the
 * visible rate. A zero rate remains zero.
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
 * Returns whether a place has a general excise tax. Its local taxes are then parts of that tax, even if an import gives
 * them a different type.
 */
export const hasGeneralExcise = (jurisdictions: readonly Pick<Jurisdiction, 'tax_type'>[]): boolean =>
  jurisdictions.some(({ tax_type }) => tax_type === 'general_excise');

const none: ScaledRate = { text: '0', units: 0n };

/** Returns the rate on the whole price; `null` if the goods are exempt or the rate depends on the price. */
const findWholeRate = ({ effect: { wholeRate }, general }: Treatment): ScaledRate | null =>
  wholeRate === undefined ? null : wholeRate === 'general' ? general.rate : wholeRate.rate;

/**
 * Replaces the rates of a product's treatments with the visible rates if the place has a general excise tax. Exempt
 * products remain exempt. For a product with a different rate, the visible rate is derived from that rate, because the
 * seller owes no more.
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
