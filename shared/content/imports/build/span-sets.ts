import type { Entry, LocalSet } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';

/** The meaning of a span: the jurisdictions of its addresses, and which addresses it covers. */
export type SpanMeaning = {
  readonly locals: LocalSet;
  /** The city that the span is limited to; `null` for all addresses. */
  readonly city: string | null;
  readonly yieldsToCity: boolean;
  readonly crossesBorders: boolean;
  readonly lacksLocals: boolean;
  /** The span is of some street addresses, and any address of the ZIP may be one of them. */
  readonly isOfStreets: boolean;
};

const flagsOf = (entry: Extract<Entry, { kind: 'span' | 'city' }>): Omit<SpanMeaning, 'locals'> => {
  if (entry.kind === 'city')
    return {
      city: entry.isWithinZips ? entry.city : null,
      yieldsToCity: false,
      crossesBorders: false,
      lacksLocals: false,
      isOfStreets: false,
    };
  const { city = null, yieldsToCity = false, crossesBorders = false, lacksLocals = false, isOfStreets = false } = entry;
  return { city, yieldsToCity, crossesBorders, lacksLocals, isOfStreets };
};

/** Numbers each distinct meaning: there are far fewer meanings than spans, and a number takes four bytes. */
export class SpanSets {
  private readonly numbers = new Map<string, number>();
  private readonly meanings: SpanMeaning[] = [];
  // An importer passes the same array again for rows with the same jurisdictions.
  private readonly seen = new WeakMap<LocalSet, number>();
  private readonly seenOfStreets = new WeakMap<LocalSet, number>();

  /** The number of an entry's meaning. The order of its jurisdictions does not matter. */
  numberOf(entry: Extract<Entry, { kind: 'span' | 'city' }>): number {
    const { locals } = entry;
    const { city, ...flags } = flagsOf(entry);
    const { isOfStreets, ...others } = flags;
    const isPlain = city === null && !Object.values(others).includes(true);
    const known = isOfStreets ? this.seenOfStreets : this.seen;
    const seen = isPlain ? known.get(locals) : undefined;
    if (seen !== undefined) return seen;
    const sorted = locals.toSorted();
    const text = JSON.stringify([sorted, city, ...Object.values(flags)]);
    const number = this.numbers.get(text) ?? this.meanings.length;
    if (number === this.meanings.length) {
      this.numbers.set(text, number);
      this.meanings.push({ locals: sorted, city, ...flags });
      assertFits(this.meanings.length, limits.jurisdictionSets, 'different lists of jurisdictions');
    }
    if (isPlain) known.set(locals, number);
    return number;
  }

  meaning(number: number): SpanMeaning {
    return this.meanings[number] as SpanMeaning;
  }
}
