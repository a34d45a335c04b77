/** The summary of an import for the operator. */

import { getOrAdd } from '../base/collections.ts';
import type { Location } from '../catalog/release.ts';
import type { Entry } from './importer.ts';

/** The number of bad rows that a summary lists; the others are only counted. */
export const badRowsNamed = 50;

/** The number of locations in force on a day, the first day of any location and the last day of any. */
type InForce = {
  readonly day: string;
  readonly locations: number;
  readonly firstDay: string;
  /** `null` if a location is open-ended. */
  readonly lastDay: string | null;
};

type Numbered = { file: string; readonly line: number };
type Reasons = Map<string, { count: number; first: Numbered }>;

const listReasons = (reasons: Reasons) =>
  [...reasons].map(([reason, { count, first }]) => ({ reason, count, file: first.file, firstLine: first.line }));

/** Counts entries in constant memory. */
export class Tally {
  private readonly files: { name: string; rows: number }[] = [];
  private readonly skipped: Reasons = new Map();
  private readonly remarks: Reasons = new Map();
  /** `rows` is the number of bad rows; the rest of `count` are problems of a whole file. */
  private readonly bad = { count: 0, rows: 0, first: [] as (Numbered & { reason: string })[] };
  private readonly notes: string[] = [];
  /** Rows of the current file, whose name comes after them. */
  private unnamed: Numbered[] = [];

  count(entry: Entry): void {
    if (entry.kind === 'file') this.endFile(entry.name, entry.rows);
    if (entry.kind === 'skipped') this.add(this.skipped, entry.reason, entry.line);
    if (entry.kind === 'remark') this.add(this.remarks, entry.reason, entry.line);
    if (entry.kind === 'note') this.note(entry.sentence);
    if (entry.kind !== 'bad') return;
    const { bad } = this;
    bad.count += 1;
    if (!entry.isOfFile) bad.rows += 1;
    if (bad.first.length < badRowsNamed)
      bad.first.push(Object.assign(this.numbered(entry.line), { reason: entry.reason }));
  }

  note(sentence: string): void {
    this.notes.push(sentence);
  }

  summary() {
    const skipped = listReasons(this.skipped);
    const rowsRead = this.files.reduce((sum, { rows }) => sum + rows, 0);
    const rowsSkipped = skipped.reduce((sum, { count }) => sum + count, 0);
    return {
      files: this.files,
      rowsRead,
      /** Rows that are neither skipped nor bad. */
      rowsKept: rowsRead - rowsSkipped - this.bad.rows,
      skipped,
      /** Imported rows with remarks. A row can have two remarks. */
      remarks: listReasons(this.remarks),
      bad: this.bad,
      /** The values in force on the day of the import; `null` if no release was built. */
      inForce: null as InForce | null,
      /** Notes about the built release, in sentences. */
      notes: this.notes,
    };
  }

  // Entries after the end of a file belong to it until the next file ends.
  private numbered(line: number): Numbered {
    const row = { file: this.files.at(-1)?.name ?? '', line };
    this.unnamed.push(row);
    return row;
  }

  private endFile(name: string, rows: number): void {
    this.files.push({ name, rows });
    for (const row of this.unnamed) row.file = name;
    this.unnamed = [];
  }

  private add(reasons: Reasons, reason: string, line: number): void {
    getOrAdd(reasons, reason, () => ({ count: 0, first: this.numbered(line) })).count += 1;
  }
}

export type Summary = ReturnType<Tally['summary']>;

// Sorts after every day.
const endless = '9999-99-99';

/** Counts, while a release is written, its locations in force on one day. */
export const newInForceCount = (day: string, establishedFrom: string) => {
  let [locations, first, last] = [0, endless, ''];
  const counted = (): InForce => ({ day, locations, firstDay: first, lastDay: last === endless ? null : last });
  const add = (added: readonly Location[]): void => {
    for (const { from, to } of added) {
      const [begin, end] = [from ?? establishedFrom, to ?? endless];
      if (begin <= day && day <= end) locations += 1;
      if (begin < first) first = begin;
      if (end > last) last = end;
    }
  };
  return { add, counted };
};
export type InForceCount = ReturnType<typeof newInForceCount>;

const whenText = ({ day, firstDay, lastDay }: InForce): string => {
  if (lastDay !== null && lastDay < day) return `the last row ended on ${lastDay}`;
  return day < firstDay ? `the first row begins on ${firstDay}` : 'some rows have ended, and the others begin later';
};

/** Returns the note for a release with no location in force on the day of its import. */
const noneInForce = (inForce: InForce): string =>
  `No location of this release is in force on ${inForce.day}: ${whenText(inForce)}. On that day the fallback release applies to every address.`;

/** Returns the summary of a built release. The first note reports a release without a location in force. */
export const withInForce = (summary: Summary, inForce: InForce): Summary => ({
  ...summary,
  inForce,
  notes: inForce.locations === 0 ? [noneInForce(inForce), ...summary.notes] : summary.notes,
});
