import { allocate } from '../money/allocate.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { type Assessment, assess, type TaxabilityReason, type Treatment } from './assessment.ts';
import type { Base } from './effects/base.ts';

/** A delivered line with its share of the charge. */
export type Parcel = {
  /** Its position among the goods. */
  readonly position: number;
  readonly base: Base;
  readonly share: bigint;
  /** The assessments of the goods, and the treatments of their shipping, where the share is taxed. */
  readonly assessments: readonly Assessment[];
  readonly treatments: readonly Treatment[];
};

/** The shares of earlier charges that followed the goods, by the position of the goods and the jurisdiction. */
export type StackedShares = Map<string, bigint>;

const oneUnit = { units: 1n, scale: 0 };

/** The reason of a share that is fully taxed although the goods are partly taxed. */
const wholly = ({ reason, treatment }: Assessment): TaxabilityReason => {
  if (reason === 'portion_product_exempt' || reason === 'taxable_basis_reduced') return treatment.general.reason;
  if (reason === 'portion_standard_rated') return 'standard_rated';
  return reason === 'portion_reduced_rated' ? 'reduced_rated' : reason;
};

// With a threshold on the goods alone, the same part of their shipping is exempt.
const inProportion = (treatment: Treatment, share: bigint, goods: Assessment): Assessment => {
  const base = goods.taxable + goods.exempt;
  const taxable = base > 0n ? divideHalfUp(share * goods.taxable, base) : 0n;
  const { rate, reason } = goods;
  return { treatment, taxable, exempt: share - taxable, rate, reason, exact: taxable * rate.units };
};

/**
 * Tax the share of the shipping that follows a line's goods. It is the last part of their price: its tax is the tax on the
 * price with it, less the tax on the price without it. The share gets what the goods, and the shares of `earlier` charges,
 * leave of an exemption or a cap.
 */
const follow = (treatment: Treatment, { share, base }: Parcel, goods: Assessment, earlier: bigint): Assessment => {
  const { effect, includesShipping } = goods.treatment;
  if (effect.sharesProportion && !includesShipping) return inProportion(treatment, share, goods);
  const before = earlier === 0n ? goods : assess(goods.treatment, { ...base, net: base.net + earlier });
  const whole = assess(goods.treatment, { ...base, net: base.net + earlier + share });
  const taxable = whole.taxable - before.taxable;
  return {
    treatment,
    taxable,
    exempt: share - taxable,
    rate: whole.rate,
    reason: taxable === share && share > 0n ? wholly(whole) : whole.reason,
    exact: whole.exact - before.exact,
  };
};

/** The stacked shares of the goods in a jurisdiction, to which the parcel's share is added. */
const stack = (stacked: StackedShares | null, { position, share }: Parcel, { jurisdiction }: Treatment): bigint => {
  if (!stacked) return 0n;
  const key = `${position} ${jurisdiction.code}`;
  const earlier = stacked.get(key) ?? 0n;
  stacked.set(key, earlier + share);
  return earlier;
};

const add = (sums: Map<string, Assessment>, row: Assessment): void => {
  const key = `${row.treatment.jurisdiction.code} ${row.rate.text} ${row.reason}`;
  const sum = sums.get(key);
  sums.set(
    key,
    sum
      ? {
          ...sum,
          taxable: sum.taxable + row.taxable,
          exempt: sum.exempt + row.exempt,
          exact: sum.exact + row.exact,
        }
      : row,
  );
};

/** A line's share of the shipping in one jurisdiction. */
type Share = { readonly treatment: Treatment; readonly parcel: Parcel; readonly goods: Assessment };

// Goods without a price are taxed if they would be with one.
const isTaxed = ({ goods, parcel: { base } }: Share): boolean =>
  goods.exact > 0n ||
  (base.net === 0n && goods.rate.units > 0n && (goods.reason === 'standard_rated' || goods.reason === 'reduced_rated'));

/** Tax all the shipping in a jurisdiction that taxes any line, at the rates of the taxed lines. */
const shareTaxed = (shares: readonly Share[]): Assessment[] => {
  const taxed = shares.filter(isTaxed);
  if (taxed.length === 0) return shares.map(({ treatment, parcel, goods }) => follow(treatment, parcel, goods, 0n));
  const parts = allocate(
    shares.reduce((sum, { parcel }) => sum + parcel.share, 0n),
    taxed.map(({ parcel }) => parcel.base.net),
  );
  return taxed.map(({ treatment, goods }, index) => {
    const taxable = parts[index] as bigint;
    const { rate } = goods;
    return { treatment, taxable, exempt: 0n, rate, reason: wholly(goods), exact: taxable * rate.units };
  });
};

/**
 * Assess the share of each line that a shipping charge delivers, where the share is taxed. Rows of equal jurisdiction, rate
 * and reason are merged. `stacked` is for documents with several charges.
 */
export const assessShipping = (parcels: readonly Parcel[], stacked: StackedShares | null): Assessment[] => {
  const sums = new Map<string, Assessment>();
  const anyTaxable = new Map<string, Share[]>();
  for (const parcel of parcels) {
    const { share, base, assessments, treatments } = parcel;
    for (const [position, treatment] of treatments.entries()) {
      // Goods that are not covered have one treatment for all jurisdictions; their shipping may have several.
      const goods = assessments[position] ?? assessments[0];
      const { kind } = treatment.effect;
      if (goods && kind === 'any_taxable') {
        const { code } = treatment.jurisdiction;
        const shares = anyTaxable.get(code) ?? [];
        if (shares.push({ treatment, parcel, goods }) === 1) anyTaxable.set(code, shares);
      } else if (goods && kind === 'follows_goods')
        add(sums, follow(treatment, parcel, goods, stack(stacked, parcel, treatment)));
      else add(sums, assess(treatment, { ...base, net: share, goods: share, shipping: 0n, quantity: oneUnit }));
    }
  }
  for (const shares of anyTaxable.values()) for (const row of shareTaxed(shares)) add(sums, row);
  return [...sums.values()];
};
