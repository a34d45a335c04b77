import { allocate } from '../money/allocate.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { type Assessment, assess, type TaxabilityReason, type Treatment } from './assessment.ts';
import type { Base } from './effects/base.ts';

/** A line with its base, its assessments and the treatments of shipping at its place. */
type ShippedLine = {
  readonly base: Base;
  readonly assessments: readonly Assessment[];
  readonly treatments: readonly Treatment[];
};

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
 * price with it, less the tax on the price without it. The share gets what the goods leave of an exemption or a cap.
 */
const follow = (treatment: Treatment, share: bigint, goods: Assessment, base: Base): Assessment => {
  const { effect, includesShipping } = goods.treatment;
  if (effect.sharesProportion && !includesShipping) return inProportion(treatment, share, goods);
  const whole = assess(goods.treatment, { ...base, net: base.net + share });
  const taxable = whole.taxable - goods.taxable;
  return {
    treatment,
    taxable,
    exempt: share - taxable,
    rate: whole.rate,
    reason: taxable === share && share > 0n ? wholly(whole) : whole.reason,
    exact: whole.exact - goods.exact,
  };
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
type Share = {
  readonly treatment: Treatment;
  readonly share: bigint;
  readonly goods: Assessment;
  readonly base: Base;
};

// Goods without a price are taxed if they would be with one.
const isTaxed = ({ goods, base }: Share): boolean =>
  goods.exact > 0n ||
  (base.net === 0n && goods.rate.units > 0n && (goods.reason === 'standard_rated' || goods.reason === 'reduced_rated'));

/** Tax all the shipping in a jurisdiction that taxes any line, at the rates of the taxed lines. */
const shareTaxed = (shares: readonly Share[]): Assessment[] => {
  const taxed = shares.filter(isTaxed);
  if (taxed.length === 0)
    return shares.map(({ treatment, share, goods, base }) => follow(treatment, share, goods, base));
  const parts = allocate(
    shares.reduce((sum, { share }) => sum + share, 0n),
    taxed.map(({ base }) => base.net),
  );
  return taxed.map(({ treatment, goods }, index) => {
    const taxable = parts[index] as bigint;
    const { rate } = goods;
    return { treatment, taxable, exempt: 0n, rate, reason: wholly(goods), exact: taxable * rate.units };
  });
};

/**
 * Assess each line's share of a shipping charge at the line's place. Rows of equal jurisdiction,
 * rate and reason are merged.
 */
export const assessShipping = (lines: readonly ShippedLine[]): Assessment[] => {
  const sums = new Map<string, Assessment>();
  const anyTaxable = new Map<string, Share[]>();
  for (const { base, assessments, treatments } of lines) {
    const share = base.shipping;
    for (const [position, treatment] of treatments.entries()) {
      // Goods that are not covered have one treatment for all jurisdictions; their shipping may have several.
      const goods = assessments[position] ?? assessments[0];
      const { kind } = treatment.effect;
      if (goods && kind === 'any_taxable') {
        const { code } = treatment.jurisdiction;
        const shares = anyTaxable.get(code) ?? [];
        if (shares.push({ treatment, share, goods, base }) === 1) anyTaxable.set(code, shares);
      } else if (goods && kind === 'follows_goods') add(sums, follow(treatment, share, goods, base));
      else add(sums, assess(treatment, { ...base, net: share, goods: share, shipping: 0n, quantity: oneUnit }));
    }
  }
  for (const shares of anyTaxable.values()) for (const row of shareTaxed(shares)) add(sums, row);
  return [...sums.values()];
};

/** The indexes of the lines that are shipped. Fees are not shipped, unless there are only fees. */
export const shippedLines = (count: number, isFee: (index: number) => boolean): number[] => {
  const shipped: number[] = [];
  for (let index = 0; index < count; index += 1) if (!isFee(index)) shipped.push(index);
  return shipped.length > 0 ? shipped : Array.from({ length: count }, (_, index) => index);
};

/**
 * Allocate a shipping charge to the shipped lines by net amount, equally where all are zero. Amounts are minor units, and
 * the shares sum to the charge.
 */
export const shareShipping = (
  shipping: bigint,
  nets: readonly bigint[],
  isFee: (index: number) => boolean,
): bigint[] => {
  const shipped = shippedLines(nets.length, isFee);
  const parts = allocate(
    shipping,
    shipped.map((index) => nets[index] as bigint),
  );
  const shares = new Array<bigint>(nets.length).fill(0n);
  for (const [position, index] of shipped.entries()) shares[index] = parts[position] as bigint;
  return shares;
};
