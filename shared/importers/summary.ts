/** The summary of an import for the operator. */

import { getOrAdd } from '../base/collections.ts';
import type { Entry } from './importer.ts';

/** The number of bad rows that a summary lists; the others are only counted. */
export const badRowsNamed = 50;

type Numbered = { readonly file: string; readonly line: number };
type Reasons = Map<string, { count: number; first: Numbered }>;

const listReasons = (reasons: Reasons) =>
  [...reasons].map(([reason, { count, first }]) => ({ reason, count, file: first.file, firstLine: first.line }));

/** Counts entries in constant memory. */
export class Tally {
  private readonly files: { name: string; rows: number }[] = [];
  private readonly skipped: Reasons = new Map();
  private readonly remarks: Reasons = new Map();
  /** `rows` is the number of bad rows; the rest of `count` are problems of a whole file. */
  private readonly bad = { count: 0, rows: 0, first: [] as (Numbered & { readonly reason: string })[] };
  private readonly notes: string[] = [];

  count(entry: Entry): void {
    if (entry.kind === 'file') this.files.push({ name: entry.name, rows: 0 });
    const file = this.files.at(-1);
    if (entry.kind === 'rows' && file) file.rows = entry.count;
    if (entry.kind === 'skipped') this.add(this.skipped, entry.reason, entry.line);
    if (entry.kind === 'remark') this.add(this.remarks, entry.reason, entry.line);
    if (entry.kind === 'note') this.note(entry.sentence);
    if (entry.kind !== 'bad') return;
    const { bad } = this;
    bad.count += 1;
    if (!entry.isOfFile) bad.rows += 1;
    if (bad.first.length < badRowsNamed) bad.first.push({ ...this.numbered(entry.line), reason: entry.reason });
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
      /** Notes about the built release, in sentences. */
      notes: this.notes,
    };
  }

  private numbered(line: number): Numbered {
    return { file: this.files.at(-1)?.name ?? '', line };
  }

  private add(reasons: Reasons, reason: string, line: number): void {
    getOrAdd(reasons, reason, () => ({ count: 0, first: this.numbered(line) })).count += 1;
  }
}

export type Summary = ReturnType<Tally['summary']>;
