import type { ReleasePart } from '../../catalog/content.ts';
import { firstInForce } from '../../catalog/effective.ts';
import { formatFraction, parseUnits } from '../../catalog/fractions.ts';
import type { Release } from '../../catalog/release.ts';
import { type Jurisdiction, ownRateOfKind, type Rate, type RateKind, rateKinds } from '../../catalog/release-values.ts';
import type { OpenRelease } from './open-release.ts';
import { pairsByKey } from './pairs-by-key.ts';
import { type Change, changesOver, establishedSpan, piecesOf, type Span } from './timeline.ts';

/** The names and rates of a release's jurisdictions, from its head and all its parts. */
export type RateBook = {
  readonly establishedFrom: string;
  readonly names: Map<string, string>;
  readonly rates: Map<string, readonly Rate[]>;
  /** Own rates, which override the files' rates. */
  readonly own: readonly Rate[];
};

export const newRateBook = ({ established_from, own }: Pick<Release, 'established_from' | 'own'>): RateBook => ({
  establishedFrom: established_from,
  names: new Map(),
  rates: new Map(),
  own: own?.rates ?? [],
});

/** Add a head or a part. Many parts repeat a jurisdiction, each with all of its rates or none. */
export const addToRateBook = (
  book: RateBook,
  { jurisdictions, rates }: { readonly jurisdictions: readonly Jurisdiction[]; readonly rates: readonly Rate[] },
): void => {
  for (const { code, name } of jurisdictions) if (!book.names.has(code)) book.names.set(code, name);
  for (const [code, own] of Map.groupBy(rates, ({ jurisdiction }) => jurisdiction))
    if (!book.rates.has(code)) book.rates.set(code, own);
};

export type RateChange = Change & {
  readonly jurisdiction: string;
  readonly name: string;
  readonly kind: RateKind;
};

const ratesIn = ({ own, rates }: RateBook, code: string): readonly Rate[] => [
  ...own.filter(({ jurisdiction }) => jurisdiction === code),
  ...(rates.get(code) ?? []),
];

const spansOf = (book: RateBook, code: string): readonly Span[] =>
  ratesIn(book, code).map((rate) => establishedSpan(rate, book.establishedFrom));

const reader = (book: RateBook, code: string, kind: RateKind) => (piece: Span) => {
  const found = firstInForce(ratesIn(book, code), piece.from, book.establishedFrom);
  const value = found && ownRateOfKind(found, kind);
  return value === undefined ? null : formatFraction(parseUnits(value));
};

/** The codes with rates, in the files or of own rules. */
const codesOf = ({ own, rates }: RateBook): readonly string[] => [
  ...rates.keys(),
  ...own.map(({ jurisdiction }) => jurisdiction),
];

/**
 * All differences of the rates of jurisdictions with their days, in the order of codes. Rates are fractions; `null` is a
 * rate that the release does not have on those days. Food and interstate rates are there only if they differ.
 */
export const compareRates = (before: RateBook, after: RateBook): readonly RateChange[] =>
  [...new Set([before, after].flatMap(codesOf))].sort().flatMap((code) => {
    const pieces = piecesOf([...spansOf(before, code), ...spansOf(after, code)]);
    const name = after.names.get(code) ?? before.names.get(code) ?? code;
    return rateKinds.flatMap((kind) =>
      changesOver(pieces, reader(before, code, kind), reader(after, code, kind)).map((change) => ({
        jurisdiction: code,
        name,
        kind,
        ...change,
      })),
    );
  });

type OnPart = (key: string, left: ReleasePart | undefined, right: ReleasePart | undefined) => void;

/** The differences of the rates of two releases, in one pass over their parts. `onPart` gets each ZIP or city. */
export const compareReleases = async (
  before: OpenRelease,
  after: OpenRelease,
  onPart: OnPart | null = null,
): Promise<readonly RateChange[]> => {
  const [old, next] = [newRateBook(before.head), newRateBook(after.head)];
  addToRateBook(old, before.head);
  addToRateBook(next, after.head);
  for await (const { key, left, right } of pairsByKey(before.parts(), after.parts())) {
    if (left) addToRateBook(old, left);
    if (right) addToRateBook(next, right);
    onPart?.(key, left, right);
  }
  return compareRates(old, next);
};
