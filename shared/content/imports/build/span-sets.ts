import type { City, LocalSet, LocationFlags, Span } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';

/** The meaning of a span: the jurisdictions of its addresses, and which addresses it covers. */
export type SpanMeaning = { readonly locals: LocalSet; readonly flags: LocationFlags };

const noFlags: LocationFlags = {};

/** Numbers each distinct meaning: there are far fewer meanings than spans, and a number takes four bytes. */
export class SpanSets {
  private readonly numbers = new Map<string, number>();
  private readonly meanings: SpanMeaning[] = [];
  // An importer passes the same objects again for rows with the same jurisdictions.
  private readonly seen = new WeakMap<LocalSet, WeakMap<LocationFlags, number>>();

  /** The number of an entry's meaning. The order of its jurisdictions does not matter. */
  numberOf({ locals, flags = noFlags }: Pick<Span | City, 'locals' | 'flags'>): number {
    const ofLocals = this.seen.get(locals) ?? new WeakMap<LocationFlags, number>();
    const seen = ofLocals.get(flags);
    if (seen !== undefined) return seen;
    const sorted = locals.toSorted();
    const text = JSON.stringify([sorted, flags]);
    const number = this.numbers.get(text) ?? this.meanings.length;
    if (number === this.meanings.length) {
      this.numbers.set(text, number);
      this.meanings.push({ locals: sorted, flags });
      assertFits(this.meanings.length, limits.jurisdictionSets, 'different lists of jurisdictions');
    }
    this.seen.set(locals, ofLocals.set(flags, number));
    return number;
  }

  meaning(number: number): SpanMeaning {
    return this.meanings[number] as SpanMeaning;
  }
}
