import type { Streets } from '../../catalog/release.ts';
import { anyStreet, groupText, nameText, rangeText, type StreetRange } from '../../catalog/streets/street-ranges.ts';
import type { LocalSet } from '../entry.ts';
import { assertFits, limits } from '../limits.ts';
import { dayText, type Piece } from './resolve.ts';
import { type Pieces, SpanSpillFile } from './spill.ts';

type Dated = Pick<Piece, 'set' | 'from' | 'to'>;
/** The repeated fields of a street's rows; house numbers are separate. */
type RowKind = Omit<StreetRange, 'low' | 'high'>;

const anyAddress: StreetRange = { street: anyStreet, prefix: '', low: 0, high: 0, parity: 'U', unit: null };

/** Numbers distinct values by their text. */
class Numbering<Value> {
  private readonly numbers = new Map<string, number>();
  readonly values: Value[] = [];

  numberOf(text: string, value: () => Value): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    assertFits(this.values.length, limits.streetKinds, 'different streets and units');
    this.numbers.set(text, this.values.length);
    return this.values.push(value()) - 1;
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
 * The street-address rows of a state, by ZIP. Streets and sets are numbered, so that a row takes 24 bytes in a file. A row
 * is stored as a piece whose `from` and `to` are house numbers, `order` is the street, and `set` is the dated set.
 */
export class StreetRows {
  private readonly spill: SpanSpillFile;
  private readonly kinds = new Numbering<RowKind>();
  private readonly dated = new Numbering<Dated>();
  /** How many ranges are in the parts. */
  count = 0;
  /** ZIPs whose ranges do not fit into an item. */
  readonly tooMany: number[] = [];

  constructor(folder: string) {
    this.spill = new SpanSpillFile(folder, 'streets');
  }

  /** Add a row of a ZIP. Without a street, it is of any address. */
  add(zip: number, { set, from, to }: Dated, row: StreetRange = anyAddress): void {
    const { low, high, ...kind } = row;
    const [first, zip3] = [zip * zipUnit, Math.floor(zip / 100)];
    this.spill.put(zip3, {
      low: first,
      high: first,
      from: low,
      to: high,
      order: this.kinds.numberOf(kindText(row), () => kind),
      set: this.dated.numberOf(`${set} ${from} ${to}`, () => ({ set, from, to })),
    });
  }

  /** Remove the rows of a three-digit ZIP; returns the streets of each of its ZIPs. */
  take(zip3: number, localsOf: (set: number) => LocalSet): (zip: number) => Streets | undefined {
    const pieces = this.spill.take(zip3);
    const byZip = new Map<number, number[]>();
    for (let index = 0; index < pieces.length; index += 1) {
      const zip = Math.floor(pieces.lowOf(index) / zipUnit);
      const own = byZip.get(zip);
      if (own) own.push(index);
      else byZip.set(zip, [index]);
    }
    return (zip) => {
      const indexes = byZip.get(zip);
      return indexes && this.streetsOf(zip, pieces, indexes, localsOf);
    };
  }

  private streetsOf(
    zip: number,
    pieces: Pieces,
    indexes: readonly number[],
    localsOf: (set: number) => LocalSet,
  ): Streets | undefined {
    const sets = new Map<number, number>();
    const names = new Map<string, Map<string, Set<string>>>();
    for (const index of indexes) {
      const { from: low, to: high, order, set } = pieces.at(index);
      const { street, ...kind } = this.kinds.values[order] as RowKind;
      if (!sets.has(set)) sets.set(set, sets.size);
      const ofName = names.get(street.name) ?? new Map<string, Set<string>>();
      if (ofName.size === 0) names.set(street.name, ofName);
      const group = groupText({ street, prefix: kind.prefix });
      const texts = ofName.get(group) ?? new Set<string>();
      if (texts.size === 0) ofName.set(group, texts);
      texts.add(rangeText(sets.get(set) ?? 0, { ...kind, low, high }));
    }
    const texts = Object.fromEntries([...names].map(([name, ofName]): [string, string] => [name, nameText(ofName)]));
    const isTooLong = Object.values(texts).some((text) => text.length > limits.streetTextOfName);
    const length = Object.entries(texts).reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (isTooLong || length > limits.streetTextOfZip) {
      this.tooMany.push(zip);
      return undefined;
    }
    this.count += [...names.values()]
      .flatMap((ofName) => [...ofName.values()])
      .reduce((sum, { size }) => sum + size, 0);
    return { sets: [...sets.keys()].map((set) => this.datedSet(set, localsOf)), names: texts };
  }

  private datedSet(number: number, localsOf: (set: number) => LocalSet): Streets['sets'][number] {
    const { set, from, to } = this.dated.values[number] as Dated;
    return { from: dayText(from), to: dayText(to), codes: localsOf(set) };
  }
}
