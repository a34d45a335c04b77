import type { LocalSet } from '../entry.ts';

/** Gives each set of jurisdictions a number: there are far fewer sets than spans, and a number is four bytes. */
export class SpanSets {
  private readonly numbers = new Map<string, number>();
  private readonly sets: LocalSet[] = [];
  // An importer gives the same array again for rows that say the same.
  private readonly seen = new WeakMap<LocalSet, number>();

  /** The number of a set, in whatever order it names its jurisdictions. */
  numberOf(locals: LocalSet): number {
    const seen = this.seen.get(locals);
    if (seen !== undefined) return seen;
    const sorted = locals.toSorted();
    const text = sorted.join();
    const number = this.numbers.get(text) ?? this.sets.length;
    if (number === this.sets.length) {
      this.numbers.set(text, number);
      this.sets.push(sorted);
    }
    this.seen.set(locals, number);
    return number;
  }

  set(number: number): LocalSet {
    return this.sets[number] as LocalSet;
  }
}
