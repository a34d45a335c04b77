/** Extracts included tax where the tax is rounded once on the invoice. */
import type { Assessment } from './assessment.ts';
import { min } from './effects/base.ts';
import { roundOnInvoice, totalOnInvoice } from './round-charges.ts';
import type { Nets } from './sale.ts';
import { sum } from './widest-base.ts';

const clamp = (amount: bigint, least: bigint, most: bigint): bigint =>
  amount < least ? least : amount > most ? most : amount;

type AssessAll = (nets: Nets) => readonly (readonly Assessment[])[];

/** Whether every state that taxes a charge requires that it keeps a base. */
const keepsBase = (assessments: readonly Assessment[]): boolean =>
  assessments.every(({ exact, treatment: { rounding } }) => exact === 0n || rounding.tax_included === 'keep_base');

/**
 * Find the nets of the charges of an invoice (by their positions in `nets`) that plus its tax give its gross.
 * Where rounding skips the gross, find the smallest nets that reach it.
 *
 * The nets that each charge has by itself are off by a few cents. They are moved together, one cent at a time, the largest
 * charges first; untaxed charges stay. Nets plus tax never fall as the nets grow (`monotonicity.ts`), so the step at which
 * they reach the gross is found by doubling and halving.
 *
 * Where states require it (`keepsBase`), no net is moved below one cent, unless only such nets give the gross.
 */
export const netsOfInvoice = (nets: Nets, grosses: Nets, indexes: readonly number[], assessAll: AssessAll): Nets => {
  const at = (amounts: readonly bigint[], index: number) => amounts[index] as bigint;
  const assessed = assessAll(nets);
  const taxed = indexes
    .filter((_, position) => assessed[position]?.some(({ exact }) => exact > 0n))
    .toSorted((left, right) =>
      at(grosses, left) === at(grosses, right) ? left - right : at(grosses, left) < at(grosses, right) ? 1 : -1,
    );
  const gross = sum(indexes.map((index) => at(grosses, index)));
  if (taxed.length === 0 || gross === 0n) return nets;
  const movedBy = (step: number, least: bigint): Nets => {
    const moved = [...nets];
    for (const [place, index] of taxed.entries()) {
      const cents = BigInt(Math.floor((step + taxed.length - 1 - place) / taxed.length));
      moved[index] = clamp(at(nets, index) + cents, least, at(grosses, index));
    }
    return moved;
  };
  const grossUp = (candidate: Nets): bigint => {
    const tax = totalOnInvoice(assessAll(candidate));
    return sum(indexes.map((index) => at(candidate, index))) + tax;
  };
  const search = (least: bigint): Nets =>
    movedBy(
      findLeast((step) => grossUp(movedBy(step, least)) >= gross),
      least,
    );
  const keeping = (): Nets | null => {
    if (!assessed.every(keepsBase)) return null;
    const lowest = movedBy(-stepsMax, 1n);
    const kept = grossUp(lowest) < gross ? search(1n) : lowest;
    return grossUp(kept) === gross ? kept : null;
  };
  return keeping() ?? search(0n);
};

const stepsMax = 2 ** 40;

/** The smallest step that is enough, where all larger steps are too. Returns 0 if none is within `stepsMax`. */
const findLeast = (isEnough: (step: number) => boolean): number => {
  const isUp = !isEnough(0);
  let [low, high] = isUp ? [0, 1] : [-1, 0];
  for (; isUp && !isEnough(high); high *= 2) {
    low = high;
    if (high > stepsMax) return 0;
  }
  for (; !isUp && isEnough(low); low *= 2) {
    high = low;
    if (low < -stepsMax) return 0;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
};

type Cell = { readonly code: string; readonly isTaxed: boolean; tax: bigint };

/**
 * Move cents between the rows of one charge, from jurisdictions that have too many to those that lack some. A row that has
 * given all it can never gives again, so each row is passed once.
 */
const moveCents = (cells: readonly Cell[], due: Map<string, bigint>): void => {
  const dueTo = ({ code }: Cell): bigint => due.get(code) ?? 0n;
  const spare = (giver: Cell): bigint => min(-dueTo(giver), giver.tax);
  const givers = cells.filter((cell) => spare(cell) > 0n).values();
  let { value: giver } = givers.next();
  for (const receiver of cells.filter(({ isTaxed }) => isTaxed))
    while (giver && dueTo(receiver) > 0n) {
      const cents = min(dueTo(receiver), spare(giver));
      if (cents <= 0n) {
        giver = givers.next().value;
        continue;
      }
      giver.tax -= cents;
      receiver.tax += cents;
      due.set(receiver.code, dueTo(receiver) - cents);
      due.set(giver.code, dueTo(giver) + cents);
    }
};

/**
 * Move cents between the rows of charges until each jurisdiction has the invoice's tax by its table, as far as the tax of
 * each charge allows. The tax of a charge stays the same. Takes and returns taxes by charge.
 */
export const fitColumns = (
  charges: readonly (readonly Assessment[])[],
  taxes: readonly (readonly bigint[])[],
): readonly (readonly bigint[])[] => {
  if (!charges.flat().some(({ treatment }) => treatment.rounding.method === 'bracket')) return taxes;
  const cells = charges.map((assessments, charge) =>
    assessments.map(
      ({ treatment, exact }, position): Cell => ({
        code: treatment.jurisdiction.code,
        isTaxed: exact > 0n,
        tax: taxes[charge]?.[position] ?? 0n,
      }),
    ),
  );
  const due = new Map<string, bigint>();
  const rounded = roundOnInvoice(charges);
  for (const [charge, row] of cells.entries())
    for (const [position, { code, tax }] of row.entries())
      due.set(code, (due.get(code) ?? 0n) + (rounded[charge]?.[position] ?? 0n) - tax);
  for (const row of cells) moveCents(row, due);
  return cells.map((row) => row.map(({ tax }) => tax));
};
