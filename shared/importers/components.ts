/** Local taxes that a file gives one by one, and the cities where several of them add up. */
import { assert } from '../base/assert.ts';
import { earlierEnd } from '../catalog/days.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { type Entry, type LocationFlags, secondRate } from './entry.ts';
import { assertFits, limits } from './limits.ts';

type Days = { readonly from: string; readonly to: string | null };
export type ComponentRate = Days & { readonly rate: string };

/** A city by its names, as `cityName` writes them, and the codes of its local taxes. */
type City = { readonly names: readonly string[]; readonly codes: readonly string[]; readonly flags?: LocationFlags };

type Component = { readonly jurisdiction: Jurisdiction; readonly rates: (ComponentRate & { readonly line: number })[] };

const common = (a: Days, b: Days): Days => ({ from: a.from > b.from ? a.from : b.from, to: earlierEnd(a.to, b.to) });

const isSpan = ({ from, to }: Days): boolean => to === null || from <= to;

/** Holds the local taxes and the cities of a file until it ends: a state has some thousands. */
export class Components {
  private readonly components = new Map<string, Component>();
  private readonly cities: City[] = [];

  /** Add a rate of a jurisdiction. Returns an entry if an earlier row has a rate for some of the same days. */
  add(jurisdiction: Jurisdiction, rate: ComponentRate, line: number): readonly Entry[] {
    const component = this.components.get(jurisdiction.code) ?? { jurisdiction, rates: [] };
    const other = component.rates.find((one) => isSpan(common(one, rate)));
    if (other) return [secondRate(line, other.rate === rate.rate, jurisdiction.name, other)];
    assertFits(component.rates.length, limits.ratesOfJurisdiction, `rates of ${jurisdiction.name}`);
    assertFits(this.components.size, limits.jurisdictions, 'jurisdictions');
    component.rates.push({ ...rate, line });
    this.components.set(jurisdiction.code, component);
    return [];
  }

  /** Add the only rate of a jurisdiction, which several rows repeat. Returns an entry if an earlier row contradicts it. */
  repeat(jurisdiction: Jurisdiction, rate: ComponentRate, line: number): readonly Entry[] {
    const [other] = this.components.get(jurisdiction.code)?.rates ?? [];
    if (!other) return this.add(jurisdiction, rate, line);
    const isSame = other.rate === rate.rate && other.from === rate.from;
    return isSame ? [] : [secondRate(line, false, jurisdiction.name, other)];
  }

  has(code: string): boolean {
    return this.components.has(code);
  }

  /** Add a city with the taxes of these codes, which `entries` yields for the days when every tax has a rate. */
  addCity(city: City): void {
    assert(new Set(city.codes).size === city.codes.length, `${city.names[0]} has each tax once`);
    assertFits(this.cities.push(city), limits.heldRows, 'rows of cities');
  }

  get jurisdictions(): readonly Jurisdiction[] {
    return [...this.components.values()].map(({ jurisdiction }) => jurisdiction);
  }

  /** The jurisdictions, their rates, and the cities. */
  *entries(): Generator<Entry> {
    for (const { jurisdiction, rates } of this.components.values()) {
      yield { kind: 'jurisdiction', jurisdiction };
      for (const { line: _, ...rate } of rates)
        yield { kind: 'rate', rate: { jurisdiction: jurisdiction.code, ...rate } };
    }
    for (const { names, codes, flags = {} } of this.cities)
      for (const city of names) for (const span of this.spans(codes)) yield { kind: 'city', city, ...span, flags };
  }

  /** The days when every tax has a rate, with the taxes above zero. */
  private spans(codes: readonly string[]) {
    let spans: readonly (Days & { readonly locals: readonly string[] })[] = [
      { from: '0000-01-01', to: null, locals: [] },
    ];
    for (const code of codes) {
      const rates = this.components.get(code)?.rates ?? [];
      spans = spans.flatMap(({ locals, ...days }) =>
        rates.map((rate) => ({ ...common(days, rate), locals: rate.rate === '0' ? locals : [...locals, code] })),
      );
    }
    return spans.filter(isSpan);
  }
}
