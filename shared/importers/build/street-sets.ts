import { limits, refuseTooMany } from '../limits.ts';
import { dayNumberAfter, noTo, type Piece } from './resolve.ts';

/** Days as numbers (`20190101`), inclusive. */
type Days = { readonly from: number; readonly to: number };

const zipUnit = 10_000;

const areApart = (a: Days, b: Days): boolean => a.to !== noTo && dayNumberAfter(a.to) < b.from;

/** Merge two lists of spans of days; spans that overlap or touch become one. */
const withDays = (list: readonly Days[], added: Days): readonly Days[] => {
  if (list.some(({ from, to }) => from <= added.from && added.to <= to)) return list;
  const before = list.filter((days) => areApart(days, added));
  const after = list.filter((days) => areApart(added, days));
  const joined = list.filter((days) => !areApart(days, added) && !areApart(added, days));
  const from = Math.min(added.from, ...joined.map((days) => days.from));
  const to = Math.max(added.to, ...joined.map((days) => days.to));
  return [...before, { from, to }, ...after];
};

/**
 * The jurisdiction sets of street addresses, by ZIP. It stores the days of each set instead of the rows: a state
 * publishes a million rows, and a ZIP has few sets.
 */
export class StreetSets {
  private readonly zips = new Map<number, Map<number, readonly Days[]>>();

  /** Add a set of some addresses in a five-digit ZIP. */
  add(zip: number, { set, from, to }: Pick<Piece, 'set' | 'from' | 'to'>): void {
    const sets = this.zips.get(zip) ?? new Map<number, readonly Days[]>();
    if (sets.size === 0) this.zips.set(zip, sets);
    const days = withDays(sets.get(set) ?? [], { from, to });
    if (days.length > limits.spansOfStreets)
      refuseTooMany(limits.spansOfStreets, `separate times of one list of jurisdictions in ZIP ${zip}`);
    sets.set(set, days);
  }

  /** How many ZIPs have street addresses. */
  get size(): number {
    return this.zips.size;
  }

  zip3s(): readonly number[] {
    return [...new Set([...this.zips.keys()].map((zip) => Math.floor(zip / 100)))];
  }

  has(zip: number): boolean {
    return this.zips.has(zip);
  }

  /** The sets of a ZIP as pieces that cover the whole ZIP. */
  piecesOf(zip: number): readonly Piece[] {
    const [low, high] = [zip * zipUnit, zip * zipUnit + zipUnit - 1];
    return [...(this.zips.get(zip) ?? [])].flatMap(([set, list]) =>
      list.map(({ from, to }) => ({ low, high, from, to, order: 0, set })),
    );
  }
}
