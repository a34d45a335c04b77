import { assert } from '../../base/assert.ts';
import type { ReleasePart } from '../../catalog/content.ts';
import type { Dated } from '../../catalog/effective.ts';
import type { Evidence, Jurisdiction, Rate } from '../../catalog/release-values.ts';
import type { Entry } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';

const levels = ['state', 'county', 'city', 'district'] as const;

const byLevel = (a: Jurisdiction, b: Jurisdiction): number =>
  levels.indexOf(a.type) - levels.indexOf(b.type) || (a.code < b.code ? -1 : 1);

const shareDays = (a: Dated, b: Dated): boolean =>
  (a.to === null || (b.from ?? '') <= a.to) && (b.to === null || (a.from ?? '') <= b.to);

/** The jurisdictions of a part and all their rates of any date, as objects and as JSON for the part's line. */
type Named = Pick<ReleasePart, 'jurisdictions' | 'rates'> & { readonly json: string };

// Neighbouring ZIPs share their jurisdictions, so a small cache is enough.
const namedMax = 256;

/** Every jurisdiction and rate of the entries, in memory: there are thousands, and millions of spans. */
export class Registry {
  private readonly jurisdictions = new Map<string, Jurisdiction>();
  private readonly rates = new Map<string, Rate[]>();
  private readonly named = new Map<string, Named>();
  /** Codes that some part names. */
  readonly used = new Set<string>();
  private readonly evidence: Evidence;
  private rateCount = 0;

  constructor(evidence: Evidence) {
    this.evidence = evidence;
  }

  add(entry: Extract<Entry, { kind: 'jurisdiction' | 'rate' }>): void {
    if (entry.kind === 'jurisdiction') {
      this.jurisdictions.set(entry.jurisdiction.code, entry.jurisdiction);
      assertFits(this.jurisdictions.size, limits.jurisdictions, 'jurisdictions');
      return;
    }
    const { jurisdiction } = entry.rate;
    const rates = this.rates.get(jurisdiction) ?? [];
    // The order of the entries would decide between two rates.
    const other = rates.find((rate) => rate.rate !== entry.rate.rate && shareDays(rate, entry.rate));
    assert(other === undefined, `the importer yields one rate of ${jurisdiction} for each day`);
    if (rates.push({ ...entry.rate, ...this.evidence }) === 1) this.rates.set(jurisdiction, rates);
    this.rateCount += 1;
    assertFits(rates.length, limits.ratesOfJurisdiction, `rates of ${jurisdiction}`);
    assertFits(this.rateCount, limits.rates, 'rates');
  }

  /** The rates of a jurisdiction by their first days. */
  ratesOf(code: string): readonly Rate[] {
    return (this.rates.get(code) ?? []).toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
  }

  get size(): number {
    return this.jurisdictions.size;
  }

  /** The jurisdictions and rates for a part whose locations name the codes. */
  carried(codes: Iterable<string>): Named {
    const sorted = [...new Set(codes)].toSorted();
    const key = sorted.join();
    const known = this.named.get(key);
    if (known) return known;
    if (this.named.size >= namedMax) this.named.clear();
    const jurisdictions = sorted.map((code) => this.jurisdiction(code)).toSorted(byLevel);
    const rates = jurisdictions.flatMap(({ code }) => this.ratesOf(code));
    const json = `"jurisdictions":${JSON.stringify(jurisdictions)},"rates":${JSON.stringify(rates)}`;
    const named = { jurisdictions, rates, json };
    this.named.set(key, named);
    for (const code of sorted) this.used.add(code);
    return named;
  }

  private jurisdiction(code: string): Jurisdiction {
    const found = this.jurisdictions.get(code);
    assert(found !== undefined, `the importer yields a jurisdiction entry for ${code}`);
    return found;
  }
}
