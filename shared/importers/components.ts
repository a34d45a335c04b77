/** Local taxes that a file gives one by one, and the cities where several of them add up. */
import { assert } from '../base/assert.ts';
import { earlierEnd } from '../catalog/days.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { type Entry, type LocationFlags, secondRate } from './entry.ts';
import { assertFits, limits } from './limits.ts';

type Days = { readonly from: string; readonly to: string | null };
export type ComponentRate = Days & { readonly rate: string };

/** A city by its names, as `cityName` writes them, and the codes of its local taxes. */
export type ComponentCity = { readonly names: readonly string[]; readonly codes: readonly string[] };

type Component = { readonly jurisdiction: Jurisdiction; readonly rates: (ComponentRate & { readonly line: number })[] };

const common = (a: Days, b: Days): Days => ({ from: a.from > b.from ? a.from : b.from, to: earlierEnd(a.to, b.to) });

const isSpan = ({ from, to }: Days): boolean => to === null || from <= to;

/** Holds the local taxes of a file until it ends: a state has some thousands. */
export class Components {
  private readonly components = new Map<string, Component>();

  /** Add a rate of a jurisdiction. Yields an entry if an earlier row has a rate for some of the same days. */
  *add(jurisdiction: Jurisdiction, rate: ComponentRate, line: number): Generator<Entry> {
    const component = this.components.get(jurisdiction.code) ?? { jurisdiction, rates: [] };
    const other = component.rates.find((one) => isSpan(common(one, rate)));
    if (other) {
      yield secondRate(line, other.rate === rate.rate, jurisdiction.name, other);
      return;
    }
    assertFits(component.rates.length, limits.ratesOfJurisdiction, `rates of ${jurisdiction.name}`);
    assertFits(this.components.size, limits.jurisdictions, 'jurisdictions');
    component.rates.push({ ...rate, line });
    this.components.set(jurisdiction.code, component);
  }

  has(code: string): boolean {
    return this.components.has(code);
  }

  /** The jurisdictions and their rates. */
  *entries(): Generator<Entry> {
    for (const { jurisdiction, rates } of this.components.values()) {
      yield { kind: 'jurisdiction', jurisdiction };
      for (const { line: _, ...rate } of rates)
        yield { kind: 'rate', rate: { jurisdiction: jurisdiction.code, ...rate } };
    }
  }

  /** A city by its names with the taxes of these codes, on the days when every tax has a rate. */
  *city({ names, codes }: ComponentCity, flags: LocationFlags = {}): Generator<Entry> {
    assert(new Set(codes).size === codes.length, `${names[0]} has each tax once`);
    let spans: readonly (Days & { readonly locals: readonly string[] })[] = [
      { from: '0000-01-01', to: null, locals: [] },
    ];
    for (const code of codes) {
      const rates = this.components.get(code)?.rates ?? [];
      spans = spans.flatMap(({ locals, ...days }) =>
        rates.map((rate) => ({ ...common(days, rate), locals: rate.rate === '0' ? locals : [...locals, code] })),
      );
    }
    for (const city of names) for (const span of spans.filter(isSpan)) yield { kind: 'city', city, ...span, flags };
  }
}
