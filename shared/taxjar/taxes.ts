import { listRegistrations, type Registration, type Settings } from '../accounts/account.ts';
import type { Calculation, TaxRowResponse as Row, ShippingResponse } from '../calculations/response.ts';
import { sum } from '../money/allocate.ts';
import { formatAmount, parseAmount } from '../money/currency.ts';
import { divideHalfUp, decimal as parseDecimal, rescale } from '../money/decimal.ts';
import { readState, stateJurisdiction, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import {
  amountAt,
  type Fields,
  general,
  getExemptionType,
  getTerms,
  listStates,
  requiredAmount,
  requiredAt,
  requireObject,
  requirePositive,
  stateAt,
  textAt,
  unknownCodes,
} from './document.ts';
import { decimal } from './numbers.ts';
import { soldLines } from './orders.ts';
import { missing, TaxJarRefusal } from './refusal.ts';
import { listCodes, type Request, type TaxJarResponse } from './request.ts';

/** The tax of an order that is not recorded: TaxJar's response to `POST /taxes`, from a calculation. */

const read = (text: string): bigint => parseAmount(text, 2);
const amount = (value: bigint) => decimal(formatAmount(value, 2));
const getSum = (rows: readonly Row[], name: 'tax_amount' | 'taxable_amount'): bigint =>
  rows.reduce((sum, row) => sum + read(row[name]), 0n);

/** Scales a rate such as `0.08875` to units of 1/100,000, half up. */
export const rateUnits = (rate: string): bigint => rescale(parseDecimal(rate), 5);
export const rateText = (value: bigint) => decimal(`${value / 100_000n}.${String(value % 100_000n).padStart(5, '0')}`);

/** Divides an amount by another, as a rate in units of 1/100,000, half up; zero if the divisor is zero. */
const divideAmounts = (part: bigint, whole: bigint): bigint =>
  whole <= 0n || part <= 0n ? 0n : divideHalfUp(part * 100_000n, whole);

/**
 * Returns the average rate of an amount, from unrounded taxes as in TaxJar: if all rows have one rate, the result is
 * exactly that rate. Plugins multiply it by other amounts. A flat fee has no rate.
 */
const getAverageRate = (rows: readonly Row[], taxable: bigint): bigint => {
  const cent = 100_000n;
  const taxes = rows.map((row) => {
    const [nominal, rounded] = [read(row.taxable_amount) * rateUnits(row.rate), read(row.tax_amount) * cent];
    return nominal < rounded - cent || nominal > rounded + cent ? rounded : nominal;
  });
  return taxable <= 0n ? 0n : divideHalfUp(sum(taxes), taxable);
};

/** Returns the rate of a jurisdiction; if it taxes parts at different rates, their average. */
const getOwnRate = (rows: readonly Row[]): bigint => {
  const [rate = 0n, ...others] = new Set(rows.map((row) => rateUnits(row.rate)));
  return others.length === 0 ? rate : divideAmounts(getSum(rows, 'tax_amount'), getSum(rows, 'taxable_amount'));
};

/**
 * The rate of a level is the sum of the rates of its jurisdictions. As in TaxJar, a jurisdiction that taxes nothing
 * counts as zero.
 */
const getNominalRate = (rows: readonly Row[]): bigint => {
  const taxed = rows.filter(({ taxable_amount }) => read(taxable_amount) > 0n);
  const byTax = Map.groupBy(taxed, ({ jurisdiction_code, tax_type }) => `${jurisdiction_code} ${tax_type}`);
  return [...byTax.values()].reduce((sum, own) => sum + getOwnRate(own), 0n);
};

const levels = [
  ['state', 'state'],
  ['county', 'county'],
  ['city', 'city'],
  ['special_district', 'district'],
] as const;

/** The largest taxable amount of a level: jurisdictions of one level tax the same sales. */
const getTaxable = (rows: readonly Row[]): bigint => {
  const byName = Map.groupBy(rows, ({ jurisdiction_name }) => jurisdiction_name);
  const sums = [...byName.values()].map((rows) => getSum(rows, 'taxable_amount'));
  return sums.reduce((most, sum) => (sum > most ? sum : most), 0n);
};

/** The names of a group: of the whole order, or of a line item and of shipping. */
const rateName = (level: string, isPart: boolean): string => {
  if (level === 'state') return isPart ? 'state_sales_tax_rate' : 'state_tax_rate';
  return level === 'special_district' ? 'special_tax_rate' : `${level}_tax_rate`;
};
const collectableName = (level: string, isPart: boolean): string =>
  isPart ? `${level}_amount` : `${level}_tax_collectable`;

type Naming = {
  readonly isPart: boolean;
  readonly getRate?: (rows: readonly Row[]) => bigint;
  readonly taxableName?: (level: string) => string;
};

/**
 * Returns the taxes of rows by level. The combined rate is an average, because plugins multiply it by the taxable amount
 * and a jurisdiction can tax only a part of that.
 */
const group = (
  rows: readonly Row[],
  taxable: bigint,
  { isPart, getRate, taxableName = (level) => `${level}_taxable_amount` }: Naming,
) => ({
  taxable_amount: amount(taxable),
  tax_collectable: amount(getSum(rows, 'tax_amount')),
  combined_tax_rate: rateText(getRate?.(rows) ?? getAverageRate(rows, taxable)),
  ...Object.fromEntries(
    levels.flatMap(([level, type]) => {
      const own = rows.filter(({ jurisdiction_type }) => jurisdiction_type === type);
      return [
        [taxableName(level), amount(getTaxable(own))],
        [rateName(level, isPart), rateText((getRate ?? getNominalRate)(own))],
        [collectableName(level, isPart), amount(getSum(own, 'tax_amount'))],
      ];
    }),
  ),
});

const nameAt = (rows: readonly Row[], type: string): string | undefined =>
  rows.find(({ jurisdiction_type }) => jurisdiction_type === type)?.jurisdiction_name.toUpperCase();

/** Whether a part of the shipping is taxed. */
export const isFreightTaxed = ({ shipping }: Calculation): boolean =>
  [shipping ?? []].flat().some(({ taxable_amount }) => read(taxable_amount) > 0n);

type Terms = {
  readonly hasNexus: boolean;
  /** The calculation, with a charge for shipping if the order has none. */
  readonly charged: Calculation;
  readonly country: string;
  readonly state: string | null;
  readonly exemptionType: string | null;
};

/**
 * The group of the shipping. Plugins multiply its rate by the whole shipping, so if only a part of it is taxed, its rates
 * are shares of the whole.
 */
const groupOfShipping = (charges: readonly ShippingResponse[]) => {
  const getTotal = (name: 'net_amount' | 'taxable_amount') => charges.reduce((sum, one) => sum + read(one[name]), 0n);
  const [net, taxable] = [getTotal('net_amount'), getTotal('taxable_amount')];
  const getShare = (rows: readonly Row[]) => divideAmounts(getSum(rows, 'tax_amount'), net);
  const rows = charges.flatMap(({ taxes }) => taxes);
  return group(rows, taxable, {
    isPart: true,
    ...(taxable < net && { getRate: getShare }),
    // TaxJar leaves out `district` in the shipping only.
    taxableName: (level) => `${level.replace('_district', '')}_taxable_amount`,
  });
};

/** Returns a group with its rates, and amounts of zero. */
const withoutAmounts = (rates: object): object =>
  Object.fromEntries(Object.entries(rates).map(([name, value]) => [name, name.endsWith('_rate') ? value : amount(0n)]));

/** Returns TaxJar's response. Without nexus, the tax is zero and there is no breakdown. */
export const getTax = (calculated: Calculation, { hasNexus, charged, country, state, exemptionType }: Terms) => {
  const isFreightTaxable = isFreightTaxed(charged);
  const shipping = [calculated.shipping ?? []].flat();
  const rows = [...calculated.line_items, ...shipping].flatMap(({ taxes }) => taxes);
  const tax = hasNexus ? read(calculated.tax_amount) : 0n;
  const county = nameAt(rows, 'county');
  const city = nameAt(rows, 'city');
  // As in TaxJar, California is a destination state, because its district taxes are sourced at the destination.
  const isOrigin = rows.length > 0 && rows.every(({ sourcing }) => sourcing === 'origin');
  const taxable = hasNexus ? read(calculated.taxable_amount) : 0n;
  return {
    order_total_amount: amount(read(calculated.total_amount) - read(calculated.tax_amount)),
    shipping: amount(shipping.reduce((sum, charge) => sum + read(charge.amount), 0n)),
    taxable_amount: amount(taxable),
    amount_to_collect: amount(tax),
    rate: rateText(hasNexus ? getAverageRate(rows, taxable) : 0n),
    has_nexus: hasNexus,
    freight_taxable: hasNexus && isFreightTaxable,
    tax_source: hasNexus ? (isOrigin ? 'origin' : 'destination') : null,
    ...(exemptionType !== null && { exemption_type: exemptionType }),
    jurisdictions: { country, ...(state && { state }), ...(county && { county }), ...(city && { city }) },
    ...(hasNexus && {
      breakdown: {
        ...group(rows, taxable, { isPart: false }),
        // As in TaxJar, present only for taxable freight: a plugin for Saleor charges the taxable amount of this group
        // as shipping. For free shipping, the rates are those of a charge that is not free.
        ...(isFreightTaxable && {
          shipping:
            shipping.length > 0
              ? groupOfShipping(shipping)
              : withoutAmounts(groupOfShipping([charged.shipping ?? []].flat())),
        }),
        line_items: calculated.line_items.map((line) => ({
          id: line.id,
          ...group(line.taxes, read(line.taxable_amount), { isPart: true }),
        })),
      },
    }),
  };
};

/**
 * The registrations from the addresses of a request, otherwise the account's registrations; `null` if the account
 * collects everywhere. Addresses in other countries are left out.
 */
const parseRegistrations = (fields: Fields, settings: Settings): readonly Registration[] | null =>
  listStates(fields, 'nexus_addresses')?.map((state) => ({
    state,
    from: '1900-01-01',
    to: null,
    frequency: 'month' as const,
  })) ?? listRegistrations(settings);

export const collectsIn = (registrations: readonly Registration[] | null, state: string, day: string): boolean =>
  registrations === null ||
  registrations.some(
    (one) => stateJurisdiction(one.state) === stateJurisdiction(state) && one.from <= day && day <= (one.to ?? '9999'),
  );

export const calculate = async ({ levy, body, settings, today, note }: Request): Promise<TaxJarResponse> => {
  const fields = requireObject(body);
  requirePositive(fields);
  const exemptionType = textAt(fields, 'exemption_type');
  // As in TaxJar, a calculation for a marketplace returns the tax, which the marketplace charges.
  const terms = getTerms({
    ...fields,
    provider: null,
    ...(exemptionType === 'marketplace' && { exemption_type: 'non_exempt' }),
  });
  const shipping = requiredAmount(fields, 'shipping');
  const lines = soldLines(fields);
  const amount = amountAt(fields, 'amount');
  if (!lines && amount === null) throw missing('amount or line_items');
  const registrations = parseRegistrations(fields, settings);
  const document = {
    ...terms,
    line_items: lines ?? [{ id: '1', quantity: '1', unit_price: amount, product_tax_code: general }],
  };
  const calculateWith = (charge: string | null, isProbe = false) =>
    levy.post<Calculation>(
      '/calculations',
      { ...document, shipping: charge && { amount: charge } },
      { settings: { registrations: registrations === null ? settings.registrations : [...registrations] }, isProbe },
    );
  const isFree = !/[1-9]/.test(shipping);
  const calculated = await calculateWith(isFree ? null : shipping);
  const goods = calculated.line_items.reduce((sum, line) => sum + read(line.net_amount), 0n);
  note([
    ...listCodes(calculated),
    ...(unknownCodes(fields).length > 0 ? ['product_tax_code_missing'] : []),
    // The calculation taxes the line items, so a different `amount` has no effect.
    ...(lines && amount !== null && rescale(parseDecimal(amount), 2) !== goods ? ['line_amount_differs'] : []),
  ]);
  const state = stateAt(fields, 'to_');
  const hasNexus = state !== null && collectsIn(registrations, state, today);
  // As in TaxJar, the response for an order without shipping states whether shipping would be taxed.
  const withCharge = async () => {
    try {
      return await calculateWith('1', true);
    } catch (error) {
      // The order has no shipped line item.
      if (error instanceof TaxJarRefusal) return calculated;
      throw error;
    }
  };
  const reason = calculated.line_items.find((line) => line.applied_exemption)?.applied_exemption?.reason;
  const tax = getTax(calculated, {
    hasNexus,
    charged: isFree && hasNexus ? await withCharge() : calculated,
    country: requiredAt(fields, 'to_country').toUpperCase(),
    state: state === null ? (textAt(fields, 'to_state')?.toUpperCase() ?? null) : stateOfJurisdiction(readState(state)),
    // As in TaxJar, the response also has the exemption of a customer.
    exemptionType: exemptionType ?? (reason === undefined ? null : getExemptionType(reason)),
  });
  return { body: { tax } };
};
