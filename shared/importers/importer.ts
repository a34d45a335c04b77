import type { Release } from '../catalog/release.ts';
import type { Confidence } from '../catalog/release-values.ts';
import type { Entry } from './entry.ts';
import type { OnProgress } from './files/text.ts';
import type { NameTables } from './own-codes.ts';

export type ReadOptions = {
  /** Two-letter code: rows of other states are skipped or bad. */
  readonly state: string;
  /** The release that provides the state rate and rules for the file. */
  readonly base: Release;
  /** The first day of rates in a file without dates; defaults to `established_from` of the base. */
  readonly undatedFrom?: string;
  /** Public names of counties, places and districts. A code without a name serves as its name. */
  readonly names: NameTables;
  /** Called repeatedly with the bytes read so far and the total bytes of the files on disk. */
  readonly onProgress?: OnProgress;
};

/** Reads the files as a stream of entries. Throws for a missing or broken file; yields a `bad` entry for a bad row. */
export type Read = (files: readonly string[], options: ReadOptions) => AsyncIterable<Entry>;

/** A file format of tax rates: everything that the command line and the builder need to import it. */
export type Importer = {
  /** The value of `--format`, and `format` in the head of the release. */
  readonly format: string;
  /** One line for the help text. It is part of the release's citation, and so of its hash. */
  readonly describe: string;
  /** The files to pass, in any order, each with its command line option. A file can be alone in a ZIP file. */
  readonly files: readonly { readonly option: 'file' | 'rates' | 'boundaries'; readonly describe: string }[];
  /** The two-letter code of the only state that publishes the format, or `null`. */
  readonly onlyState: string | null;
  /** Reads the state in the files, as they write it; `null` if it is missing. Absent if the format has no state. */
  readonly stateIn?: (files: readonly string[]) => Promise<string | null>;
  readonly confidence: Confidence;
  /** Whether the files have rates for sales from other states, so that their local rates are certain for such sales. */
  readonly hasRemoteRates?: true;
  readonly read: Read;
};

/** Returns the file of a format that consists of one file. */
export const onlyFile = (files: readonly string[]): string => {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new Error(`This format accepts one file, but ${files.length} were passed.`);
  return file;
};
