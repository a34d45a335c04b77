import { getOrAdd } from '../../base/collections.ts';
import type { Streets } from '../../catalog/release.ts';
import { anyAddress, groupText, nameText, rangeText, type StreetRange } from '../../catalog/streets/street-ranges.ts';
import type { LocalSet } from '../importer.ts';
import { assertFits, limits, refuseTooMany } from '../limits.ts';
import { joinRanges } from '../zips.ts';
import { dayText, type Piece } from './resolve.ts';
import { newSpanSpill, type SpanSpill } from './spill.ts';

type Dated = Pick<Piece, 'set' | 'from' | 'to'>;
/** The repeated fields of a street's rows; house numbers are separate. */
type RowKind = Omit<StreetRange, 'low' | 'high'>;

/** Numbers distinct values by their string form. */
class Numbering<Value> {
  private readonly numbers = new Map<string, number>();
  readonly values: Value[] = [];

  getNumber(text: string, value: () => Value): number {
    return getOrAdd(this.numbers, text, () => {
      assertFits(this.values.length, limits.streetKinds, 'different streets and units');
      return this.values.push(value()) - 1;
    });
  }
}

const zipUnit = 10_000;

const kindText = ({ street, prefix, parity, unit }: StreetRange): string =>
  [
    street.name,
    street.affixes,
    prefix,
    parity,
    ...(unit ? [unit.designator, unit.low, unit.high, unit.parity] : []),
  ].join('|');

/**
 * The street-address rows of a state, by ZIP. Streets and sets are numbered, so that a row takes 24 bytes in a file. A
 * row is stored as a piece whose `from` and `to` are house numbers, `order` is the street, and `set` is the dated set.
 */
export class StreetRows {
  private readonly spill: SpanSpill;
  private readonly kinds = new Numbering<RowKind>();
  private readonly dated = new Numbering<Dated>();
  /** The number of ranges in the parts, and the number of ZIPs with street addresses. */
  count = 0;
  zips = 0;
  /** ZIPs whose ranges do not fit into an item. */
  readonly tooMany: number[] = [];

  constructor(folder: string) {
    this.spill = newSpanSpill(folder, 'streets');
  }

  /** Adds a row of a ZIP. Without a street, it covers any address. */
  add(zip: number, { set, from, to }: Dated, row: StreetRange = anyAddress): void {
    const { low, high, ...kind } = row;
    const [first, zip3] = [zip * zipUnit, Math.floor(zip / 100)];
    this.spill.put(zip3, {
      low: first,
      high: first,
      from: low,
      to: high,
      order: this.kinds.getNumber(kindText(row), () => kind),
      set: this.dated.getNumber(`${set} ${from} ${to}`, () => ({ set, from, to })),
    });
  }

  zip3s(): readonly number[] {
    return this.spill.zip3s();
  }

  /**
   * Removes the rows of a three-digit ZIP and returns a function that returns the street data of each of its ZIPs. Each
   * of the `pieces` covers the whole ZIP with one jurisdiction set, on the days on which a row has the set. `streets`
   * is `undefined` if there are more ranges than fit into an item.
   */
  take(zip3: number, getLocals: (set: number) => LocalSet) {
    const pieces = this.spill.take(zip3);
    const byZip = Map.groupBy(Array(pieces.length).keys(), (index) => Math.floor(pieces.getLow(index) / zipUnit));
    return (zip: number) => {
      const rows = byZip.get(zip)?.map((index) => pieces.at(index));
      if (!rows) return undefined;
      this.zips += 1;
      return { pieces: this.listPieces(zip, rows), streets: this.getStreets(zip, rows, getLocals) };
    };
  }

  private listPieces(zip: number, rows: readonly Piece[]): readonly Piece[] {
    const dated = [...new Set(rows.map(({ set }) => set))].map((number) => this.dated.values[number] as Dated);
    const [low, high] = [zip * zipUnit, zip * zipUnit + zipUnit - 1];
    return [...Map.groupBy(dated, ({ set }) => set)].flatMap(([set, spans]) => {
      const days = joinRanges(spans.map(({ from, to }) => ({ low: from, high: to })));
      if (days.length > limits.spansOfStreets)
        refuseTooMany(limits.spansOfStreets, `separate spans of days for one list of jurisdictions in ZIP ${zip}`);
      return days.map((span) => ({ low, high, from: span.low, to: span.high, order: 0, set }));
    });
  }

  private getStreets(zip: number, rows: readonly Piece[], getLocals: (set: number) => LocalSet): Streets | undefined {
    const sets = new Map<number, number>();
    const names = new Map<string, Map<string, Set<string>>>();
    for (const { from: low, to: high, order, set } of rows) {
      const { street, ...kind } = this.kinds.values[order] as RowKind;
      const ofName = getOrAdd(names, street.name, () => new Map<string, Set<string>>());
      const texts = getOrAdd(ofName, groupText({ street, prefix: kind.prefix }), () => new Set<string>());
      texts.add(
        rangeText(
          getOrAdd(sets, set, () => sets.size),
          { ...kind, low, high },
        ),
      );
    }
    const texts = Object.fromEntries([...names].map(([name, ofName]): [string, string] => [name, nameText(ofName)]));
    const isTooLong = Object.values(texts).some((text) => text.length > limits.streetTextOfName);
    const length = Object.entries(texts).reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (isTooLong || length > limits.streetTextOfZip) {
      this.tooMany.push(zip);
      return undefined;
    }
    for (const ofName of names.values()) for (const { size } of ofName.values()) this.count += size;
    const dated = [...sets.keys()].map((number) => {
      const { set, from, to } = this.dated.values[number] as Dated;
      return { from: dayText(from), to: dayText(to), codes: getLocals(set) };
    });
    return { sets: dated, names: texts };
  }
}
