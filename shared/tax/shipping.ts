import { allocate } from '../money/allocate.ts';
import { divideHalfUp } from '../money/decimal.ts';
import type { Treatment } from './document.ts';
import { type Assessment, assess } from './effect.ts';

/** A line as its shipping needs it: what was assessed on it, of which base, and how shipping is treated where it is. */
export type ShippedLine = {
  readonly net: bigint;
  readonly assessments: readonly Assessment[];
  readonly treatments: readonly Treatment[];
};

const one = { units: 1n, scale: 0 };

// Of goods that are taxed in part, shipping is taxed in the same part.
const follow = (treatment: Treatment, share: bigint, goods: Assessment): Assessment => {
  const base = goods.taxable + goods.exempt;
  const taxable = base > 0n ? divideHalfUp(share * goods.taxable, base) : assessFree(goods) ? share : 0n;
  return { treatment, taxable, exempt: share - taxable, rate: goods.rate, reason: goods.reason };
};
const assessFree = ({ reason }: Assessment) => reason === 'standard_rated' || reason === 'reduced_rated';

const add = (sums: Map<string, Assessment>, row: Assessment): void => {
  const key = `${row.treatment.jurisdiction.code} ${row.rate.text} ${row.reason}`;
  const sum = sums.get(key);
  sums.set(key, sum ? { ...sum, taxable: sum.taxable + row.taxable, exempt: sum.exempt + row.exempt } : row);
};

/**
 * Share a shipping charge over the lines by net amount (equally if all are zero) and assess each share where its line
 * is (interface decisions 2). Rows of one jurisdiction, rate and reason come out as one.
 */
export const assessShipping = (amount: bigint, exponent: number, lines: readonly ShippedLine[]): Assessment[] => {
  const shares = allocate(
    amount,
    lines.map(({ net }) => net),
  );
  const sums = new Map<string, Assessment>();
  for (const [index, { assessments, treatments }] of lines.entries()) {
    const share = shares[index] as bigint;
    for (const [position, treatment] of treatments.entries()) {
      const goods = assessments[position];
      const follows = treatment.effect.type === 'follows_goods' && goods !== undefined;
      add(sums, follows ? follow(treatment, share, goods) : assess(treatment, { net: share, quantity: one, exponent }));
    }
  }
  return [...sums.values()];
};
