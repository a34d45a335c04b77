/** Dated values, and the differences of two histories of a value. Days are `YYYY-MM-DD`. */
import { dayAfter, dayBefore } from '../../base/calendar.ts';
import type { Dated } from '../../catalog/effective.ts';

/** From a day to a day, both inclusive; `to: null` is open. */
export type Span = { readonly from: string; readonly to: string | null };

/** A difference of two histories. `null` is a value that is not known. */
export type Change = Span & { readonly old: string | null; readonly new: string | null };

/** A value's days. Without a first day, the release's applies (`established_from`). */
export const establishedSpan = ({ from, to }: Dated, establishedFrom: string): Span => ({
  from: from ?? establishedFrom,
  to,
});

/** Cut time at the begin and end of each span, so that the same spans apply within each piece. */
export const piecesOf = (spans: readonly Span[]): readonly Span[] => {
  const firstDays = new Set<string>();
  for (const { from, to } of spans) {
    firstDays.add(from);
    if (to !== null) firstDays.add(dayAfter(to));
  }
  const sorted = [...firstDays].sort();
  return sorted.map((from, index) => {
    const next = sorted[index + 1];
    return { from, to: next === undefined ? null : dayBefore(next) };
  });
};

/** The pieces of time in which two histories differ; consecutive pieces with the same change are one. */
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
