import { getOrAdd } from '../base/collections.ts';
import { allocate, sum } from '../money/allocate.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { type Assessment, assess, type TaxabilityReason, type Treatment } from './assessment.ts';
import type { TaxDocument } from './document.ts';
import { type Base, oneUnit } from './effects/base.ts';
import { type Charge, roundSum } from './rounding.ts';

/** A delivered line and its share of the charge. */
export type Parcel = {
  /** The line's position among the goods. */
  readonly position: number;
  readonly base: Base;
  readonly share: bigint;
  /** The assessments of the goods and the treatments of their shipping, at the place where the share is taxed. */
  readonly assessments: readonly Assessment[];
  readonly treatments: readonly Treatment[];
};

/** The shares of earlier charges that followed the goods, by goods position and jurisdiction code. */
export type StackedShares = Map<number, Map<string, bigint>>;

/** Returns the reason for a share that is fully taxed although its goods are partly taxed. */
const wholly = ({ reason, treatment }: Assessment): TaxabilityReason => {
  if (reason === 'portion_product_exempt' || reason === 'taxable_basis_reduced') return treatment.general.reason;
  if (reason === 'portion_standard_rated') return 'standard_rated';
  return reason === 'portion_reduced_rated' ? 'reduced_rated' : reason;
};

// If the threshold applies only to the goods, the same proportion of their shipping is exempt.
const inProportion = (treatment: Treatment, share: bigint, goods: Assessment): Assessment => {
  const base = goods.taxable + goods.exempt;
  const taxable = base > 0n ? divideHalfUp(share * goods.taxable, base) : 0n;
  const { rate, reason } = goods;
  return { treatment, taxable, exempt: share - taxable, rate, reason, exact: taxable * rate.units };
};

/**
 * Taxes the share of the shipping that follows a line's goods. The share is treated as the last part of the price: its
 * tax is the tax on the price including the share, less the tax on the price without it. Exemptions and caps are used
 * up first by the goods and the shares of `earlier` charges.
 */
const follow = (treatment: Treatment, { share, base }: Parcel, goods: Assessment, earlier: bigint): Assessment => {
  const { effect, includesShipping } = goods.treatment;
  if (effect.sharesProportion && !includesShipping) return inProportion(treatment, share, goods);
  const before = earlier === 0n ? goods : assess(goods.treatment, { ...base, net: base.net + earlier });
  const whole = assess(goods.treatment, { ...base, net: base.net + earlier + share });
  const taxable = whole.taxable - before.taxable;
  // If the buyer is exempt only for the goods, the reason for the charge is that the goods are exempt.
  const reason =
    whole.reason === 'customer_exempt' && treatment.effect.kind !== effect.kind ? 'product_exempt' : whole.reason;
  return {
    treatment,
    taxable,
    exempt: share - taxable,
    rate: whole.rate,
    reason: taxable === share && share > 0n ? wholly(whole) : reason,
    exact: whole.exact - before.exact,
  };
};

type Sums = Map<string, { -readonly [Name in keyof Assessment]: Assessment[Name] }[]>;

/** Merges rows with equal jurisdiction, rate and reason. */
const merge = (rows: readonly Assessment[]): Assessment[] => {
  const merged: Assessment[] = [];
  // Grouped by code, then searched by rate and reason, because a jurisdiction has few of them. A joined string key per
  // row would be slower.
  const byCode: Sums = new Map();
  for (const row of rows) {
    const known = getOrAdd(byCode, row.treatment.jurisdiction.code, () => []);
    const sum = known.find(({ rate, reason }) => rate.text === row.rate.text && reason === row.reason);
    if (sum) {
      sum.taxable += row.taxable;
      sum.exempt += row.exempt;
      sum.exact += row.exact;
      continue;
    }
    const started = { ...row };
    known.push(started);
    merged.push(started);
  }
  return merged;
};

/** A line's share of the shipping in one jurisdiction. */
type Share = { readonly treatment: Treatment; readonly parcel: Parcel; readonly goods: Assessment };

// Goods without a price count as taxed if they would be taxed at any price.
const isTaxed = ({ goods, parcel: { base } }: Share): boolean =>
  goods.exact > 0n ||
  (base.net === 0n && goods.rate.units > 0n && (goods.reason === 'standard_rated' || goods.reason === 'reduced_rated'));

/**
 * Returns a function that allocates shipping to taxed lines. It reuses the last result, because the jurisdictions of
 * one place usually tax the same lines.
 */
const newParts = () => {
  let last: { readonly total: bigint; readonly parcels: readonly Parcel[]; readonly parts: readonly bigint[] } | null =
    null;
  return (total: bigint, parcels: readonly Parcel[]): readonly bigint[] => {
    const isKnown =
      last?.total === total &&
      last.parcels.length === parcels.length &&
      parcels.every((parcel, index) => parcel === last?.parcels[index]);
    if (!last || !isKnown)
      last = {
        total,
        parcels,
        parts: allocate(
          total,
          parcels.map(({ base }) => base.net),
        ),
      };
    return last.parts;
  };
};

/** Taxes all shipping in a jurisdiction that taxes any line, at the rates of the taxed lines. */
const shareTaxed = (shares: readonly Share[], allocated: ReturnType<typeof newParts>): Assessment[] => {
  const taxed = shares.filter(isTaxed);
  if (taxed.length === 0) return shares.map(({ treatment, parcel, goods }) => follow(treatment, parcel, goods, 0n));
  const parts = allocated(
    sum(shares.map(({ parcel }) => parcel.share)),
    taxed.map(({ parcel }) => parcel),
  );
  return taxed.map(({ treatment, parcel, goods }, index) => {
    const taxable = parts[index] as bigint;
    const { rate } = goods;
    // The charge is part of a price whose tax is limited, such as the price of a vessel (N.Y. Tax Law 1115(jj)).
    if (goods.treatment.effect.limitsTax) return follow(treatment, { ...parcel, share: taxable }, goods, 0n);
    return { treatment, taxable, exempt: 0n, rate, reason: wholly(goods), exact: taxable * rate.units };
  });
};

const goodsAssessment = ({ assessments }: Parcel, position: number): Assessment | undefined =>
  // Goods that are not covered have one treatment for all jurisdictions, but their shipping may have several.
  assessments[position] ?? assessments[0];

/**
 * Assesses each delivered line's share of a shipping charge at the place where the share is taxed, in separate rows.
 * `stacked` are the shares of the charges before it.
 */
export const assessParcels = (parcels: readonly Parcel[], stacked: StackedShares): Assessment[] => {
  const rows: Assessment[] = [];
  const anyTaxable = new Map<string, Share[]>();
  for (const parcel of parcels) {
    const { share, base, treatments } = parcel;
    const earlier = stacked.get(parcel.position);
    for (const [position, treatment] of treatments.entries()) {
      const goods = goodsAssessment(parcel, position);
      const { code } = treatment.jurisdiction;
      const { kind } = treatment.effect;
      const alone = () => assess(treatment, { ...base, net: share, goods: share, shipping: 0n, quantity: oneUnit });
      // A line with a certificate counts as an untaxed line of the bill (N.Y. Tax Bulletin ST-838).
      const isCertified =
        kind === 'collection_exemption' && goods?.reason === 'customer_exempt' && alone().reason === 'customer_exempt';
      if (goods && (kind === 'any_taxable' || isCertified))
        getOrAdd(anyTaxable, code, (): Share[] => []).push({ treatment, parcel, goods });
      else
        rows.push(
          goods && kind === 'follows_goods' ? follow(treatment, parcel, goods, earlier?.get(code) ?? 0n) : alone(),
        );
    }
  }
  const allocated = newParts();
  for (const shares of anyTaxable.values()) rows.push(...shareTaxed(shares, allocated));
  return rows;
};

/** Adds the shares of a charge that followed the goods to the shares of earlier charges. */
export const stackShares = (parcels: readonly Parcel[], stacked: StackedShares): void => {
  for (const parcel of parcels)
    for (const [position, { effect, jurisdiction }] of parcel.treatments.entries()) {
      if (effect.kind !== 'follows_goods' || !goodsAssessment(parcel, position)) continue;
      const shares = getOrAdd(stacked, parcel.position, () => new Map<string, bigint>());
      shares.set(jurisdiction.code, (shares.get(jurisdiction.code) ?? 0n) + parcel.share);
    }
};

/** Returns the assessments of a shipping charge, with rows of equal jurisdiction, rate and reason merged. */
export const assessShipping = (parcels: readonly Parcel[], stacked: StackedShares): Assessment[] =>
  merge(assessParcels(parcels, stacked));

/** Returns whether the state of an assessment rounds shipping together with the goods. */
const isWithGoods = ({ treatment: { rounding } }: Assessment): boolean =>
  rounding.method === 'half_up' && rounding.shipping === 'with_goods';

/**
 * Adds the exact tax of a charge to the total of each state. Fees are included, because they are whole cents and do not
 * affect rounding.
 */
const addExacts = (exacts: Map<string, bigint>, { assessments }: Charge): void => {
  for (const { treatment, exact } of assessments)
    exacts.set(treatment.state, (exacts.get(treatment.state) ?? 0n) + exact);
};

/**
 * Rounds the tax on shipping together with the goods in states with `shipping: 'with_goods'`, if the account rounds by
 * line and tax is added to the prices. `charges` are the goods (the first `goods` entries), then the shipping charges;
 * `taxes` are their taxes, each rounded separately. Only the taxes of the shipping change.
 *
 * In each such state, the tax on shipping is `round(goods + shipping) - round(goods)`, using the exact taxes on the
 * shipping and on all goods of the document in that state. An order with one line is therefore rounded once, like a
 * receipt. In Texas (6.25 %), the exact tax is 6.1875 on jeans for 99.00 and 0.3750 on delivery for 6.00. The line gets
 * 6.19 and the shipping 0.37, because together they owe 6.5625, which rounds to 6.56. Rounded separately, the shipping
 * would get 0.38.
 *
 * With several lines, each line is rounded separately, and the shipping does not compensate for it. Two lines of 0.24
 * owe 0.0150 each and get 0.02 each. With shipping of 1.00 (exact tax 0.0625), the goods owe 0.0300 and the order owes
 * 0.0925, so the shipping gets 0.09 - 0.03 = 0.06, and the order 0.10. The tax on shipping is therefore always its
 * exact tax rounded up or down, never a whole cent off, and never negative.
 *
 * Each further shipping charge is rounded together with the goods and the charges before it.
 */
export const roundShippingWithGoods = (
  rounding: TaxDocument['rounding'],
  goods: number,
  charges: readonly Charge[],
  taxes: readonly (readonly bigint[])[],
): readonly (readonly bigint[])[] => {
  if (rounding === 'invoice') return taxes;
  if (!charges.slice(goods).some(({ assessments }) => assessments.some(isWithGoods))) return taxes;
  const before = new Map<string, bigint>();
  for (const charge of charges.slice(0, goods)) addExacts(before, charge);
  return taxes.map((own, position) => {
    const charge = charges[position] as Charge;
    if (position < goods) return own;
    const { assessments } = charge;
    const rounded = [...own];
    const states = Map.groupBy(assessments.keys(), (index) => (assessments[index] as Assessment).treatment.state);
    for (const [state, indexes] of states) {
      const ofState = indexes.map((index) => assessments[index] as Assessment);
      if (!ofState.some(isWithGoods)) continue;
      const parts = roundSum(ofState, before.get(state) ?? 0n);
      for (const [part, index] of indexes.entries()) rounded[index] = parts[part] as bigint;
    }
    addExacts(before, charge);
    return rounded;
  });
};
