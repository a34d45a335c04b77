import type { Assessment } from './assessment.ts';

/** The sum of amounts. */
export const sum = (amounts: readonly bigint[]): bigint => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

/** The taxable amount of a line: its jurisdictions tax the same goods, so it is their largest base. */
export const widestBase = (assessments: readonly Assessment[]): bigint => {
  let widest = 0n;
  for (const { taxable } of assessments) if (taxable > widest) widest = taxable;
  return widest;
};

/** The taxable amount of shipping, which may have several rows in a jurisdiction and go to several states. */
export const widestShippingBase = (assessments: readonly Assessment[]): bigint => {
  const states = Map.groupBy(assessments, ({ treatment }) => treatment.state);
  const bases = [...states.values()].map((rows) => {
    const jurisdictions = Map.groupBy(rows, ({ treatment }) => treatment.jurisdiction.code);
    return [...jurisdictions.values()].map((parts) => sum(parts.map(({ taxable }) => taxable)));
  });
  return sum(bases.map((amounts) => amounts.reduce((left, right) => (left > right ? left : right))));
};
