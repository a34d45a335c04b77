import { dayBefore } from '../../base/calendar.ts';
import { establishedSpan, firstInForce, listPieces, type Span } from '../../catalog/effective.ts';
import type { Release } from '../../catalog/release.ts';
import {
  formatFraction,
  type Jurisdiction,
  ownRateOfKind,
  parseUnits,
  type Rate,
  type RateKind,
  rateKinds,
} from '../../catalog/release-values.ts';
import type { OpenRelease } from './open-release.ts';

/** A difference between two histories. `null` is an unknown value. */
export type Change = Span & { readonly old: string | null; readonly new: string | null };

/** Returns the times in which two histories differ; consecutive pieces with the same change are merged. */
export const changesOver = (
  pieces: readonly Span[],
  oldAt: (piece: Span, index: number) => string | null,
  newAt: (piece: Span, index: number) => string | null,
): readonly Change[] => {
  const changes: Change[] = [];
  for (const [index, piece] of pieces.entries()) {
    const [before, after] = [oldAt(piece, index), newAt(piece, index)];
    if (before === after) continue;
    const last = changes.at(-1);
    const isSame = last && last.old === before && last.new === after && last.to === dayBefore(piece.from);
    if (isSame) changes[changes.length - 1] = { ...last, to: piece.to };
    else changes.push({ ...piece, old: before, new: after });
  }
  return changes;
};

/** Creates the book of a release's jurisdictions. `addToRateBook` adds the names and rates of its head and parts. */
export const newRateBook = ({ established_from, own }: Pick<Release, 'established_from' | 'own'>) => ({
  establishedFrom: established_from,
  names: new Map<string, string>(),
  rates: new Map<string, readonly Rate[]>(),
  /** Custom rates, which override the files' rates. */
  own: own?.rates ?? [],
});
type RateBook = ReturnType<typeof newRateBook>;

/** Adds a head or a part. Many parts repeat a jurisdiction. Each part has all of its rates or none. */
export const addToRateBook = (
  book: RateBook,
  { jurisdictions, rates }: { readonly jurisdictions: readonly Jurisdiction[]; readonly rates: readonly Rate[] },
): void => {
  for (const { code, name } of jurisdictions) if (!book.names.has(code)) book.names.set(code, name);
  for (const [code, own] of Map.groupBy(rates, ({ jurisdiction }) => jurisdiction))
    if (!book.rates.has(code)) book.rates.set(code, own);
};

export type RateChange = Change & { readonly jurisdiction: string; readonly name: string; readonly kind: RateKind };

const ratesIn = ({ own, rates }: RateBook, code: string): readonly Rate[] => [
  ...own.filter(({ jurisdiction }) => jurisdiction === code),
  ...(rates.get(code) ?? []),
];

const listSpans = (book: RateBook, code: string): readonly Span[] =>
  ratesIn(book, code).map((rate) => establishedSpan(rate, book.establishedFrom));

const reader = (book: RateBook, code: string, kind: RateKind) => (piece: Span) => {
  const found = firstInForce(ratesIn(book, code), piece.from, book.establishedFrom);
  const value = found && ownRateOfKind(found, kind);
  return value === undefined ? null : formatFraction(parseUnits(value));
};

/**
 * Returns all changes in the rates of jurisdictions with their days, sorted by code. Rates are fractions; `null` means
 * that the release has no rate on those days. Food and interstate rates are included only if they differ.
 */
export const compareRates = (before: RateBook, after: RateBook): readonly RateChange[] => {
  const codes = [before, after].flatMap(({ own, rates }) => [...rates.keys(), ...own.map((rate) => rate.jurisdiction)]);
  return [...new Set(codes)].sort().flatMap((code) => {
    const pieces = listPieces([...listSpans(before, code), ...listSpans(after, code)]);
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
};

/** Returns the differences between the rates of two releases, in one pass over their parts. */
export const compareReleases = async (before: OpenRelease, after: OpenRelease): Promise<readonly RateChange[]> => {
  const [old, next] = [newRateBook(before.head), newRateBook(after.head)];
  addToRateBook(old, before.head);
  addToRateBook(next, after.head);
  for await (const part of before.parts()) addToRateBook(old, part);
  for await (const part of after.parts()) addToRateBook(next, part);
  return compareRates(old, next);
};
