import type { Entry } from '../entry.ts';
import { jurisdictionOf, type KeyedOverlap, type RateBook } from './rate-book.ts';

const laterReason =
  'shares days with a row of the same jurisdiction that begins earlier: this row applies from its first day';
const contradictionReason =
  'gives a jurisdiction another rate than an earlier row with the same first day: this row applies, the later in the file';

const overlapsNamed = 20;

const overlapText = (book: RateBook, { key, line, replaced, from }: KeyedOverlap): string =>
  `${jurisdictionOf(book, key).name} (${key}), line ${line} instead of line ${replaced} from ${from}`;

/** What the summary says about rate rows that share days: a remark on each row that applies, and a note with both lines. */
export function* overlapEntries(book: RateBook, overlaps: readonly KeyedOverlap[], file: string): Generator<Entry> {
  if (overlaps.length === 0) return;
  for (const { line, isContradiction } of overlaps)
    yield { kind: 'remark', line, reason: isContradiction ? contradictionReason : laterReason };
  const more = overlaps.length - overlapsNamed;
  const named = overlaps
    .slice(0, overlapsNamed)
    .map((one) => overlapText(book, one))
    .join('; ');
  yield {
    kind: 'note',
    sentence: `Rate rows that share days in ${file}: ${named}${more > 0 ? `; and ${more} more` : ''}.`,
  };
}
