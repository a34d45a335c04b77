/** Street-address rows that are skipped because they are bad: an address of their ZIPs may have other jurisdictions. */
import { anyStreet, type StreetRange } from '../../catalog/streets/street-ranges.ts';
import { type Entry, type Span, unknownPlace } from '../entry.ts';
import { multilineReason, type Row } from '../files/rows.ts';
import { touchesAny } from '../zips.ts';

/** Every day of any row: the Streamlined agreement took effect on this day. */
const days = { from: '2005-10-01', to: null } as const;

/** Any address of a ZIP, so that no address of it is outside of all rows. */
const street: StreetRange = { street: anyStreet, prefix: '', low: 0, high: 0, parity: 'U', unit: null };

/**
 * Makes addresses ambiguous that a skipped row may be of. Without it, an address of a skipped row would count as outside
 * of all street rows, and get the tax of its ZIP without a warning.
 */
export class LostStreets {
  private readonly state: string;
  private readonly zips: readonly string[];
  /** The ZIPs of all street-address rows, as `low high`. */
  private readonly listed = new Set<string>();
  private readonly lost = new Set<string>();
  private areAnyLost = false;

  /** `zips`: all ZIPs of the state, sorted. */
  constructor(state: string, zips: readonly string[]) {
    this.state = state;
    this.zips = zips;
  }

  /** Add a good row. */
  add({ low, high, street: own }: Pick<Span, 'low' | 'high' | 'street'>): void {
    if (own) this.listed.add(`${low} ${high}`);
  }

  /** Add a bad row. If its type or ZIP cannot be read, it may be of every ZIP with street-address rows. */
  addBad(row: Row): void {
    const type = (row.cells[0] ?? '').toUpperCase();
    const zip = row.cells[15]?.padStart(5, '0') ?? '';
    const isWhole = multilineReason(row) === null;
    if (isWhole && (type === 'Z' || type === '4')) return;
    const isKnown = isWhole && type === 'A' && /^\d{5}$/.test(zip) && touchesAny(this.zips, zip, zip);
    if (isKnown) this.lost.add(`${zip}0000 ${zip}9999`);
    else this.addUnknown();
  }

  /** Any row may be lost. */
  addUnknown(): void {
    this.areAnyLost = true;
  }

  *entries(): Generator<Entry> {
    const lost = this.areAnyLost ? this.lost.union(this.listed) : this.lost;
    for (const zips of lost) {
      const [low = '', high = ''] = zips.split(' ');
      yield* unknownPlace(this.state, {
        kind: 'span',
        low,
        high,
        ...days,
        rank: 1,
        flags: { of_streets: true },
        street,
      });
    }
    if (lost.size > 0)
      yield {
        kind: 'note',
        sentence: `Street-address rows of ${lost.size === 1 ? '1 ZIP' : `${lost.size} ZIPs`} cannot be read: if they are skipped, every address there is ambiguous.`,
      };
  }
}
