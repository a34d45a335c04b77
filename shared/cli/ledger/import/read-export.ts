import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { asObject, parseJson } from '../../../base/json.ts';
import { CommandError } from '../../terminal/errors.ts';
import { fileLines, formatVersion, Header, type Line, LineHashChain, noCounts, Trailer } from '../export/format.ts';
import { chainCheck, itemsOf, lineFrom } from './line-items.ts';

export type NumberedLine = { readonly number: number; readonly line: Line };

const refuse = (number: number, why: string): never => {
  throw new CommandError(`Line ${number}: ${why}. Nothing was written; export again.`);
};

const headerFrom = (value: unknown): Header => {
  const version = asObject(value)?.['format_version'];
  const read = Header.safeParse(value);
  if (typeof version === 'number' && version !== formatVersion)
    throw new CommandError(`The file has the format version ${version}; this program reads version ${formatVersion}.`);
  return read.success ? read.data : refuse(1, 'it is not the header of an exported ledger');
};

export type Checked = { readonly header: Header; readonly trailer: Trailer };

/** Check every line of a file before anything is written. Refuses missing, altered and unreadable lines. */
export const checkExport = async (path: string): Promise<Checked> => {
  const hashChain = new LineHashChain();
  const hash = createHash('sha256');
  const chainFault = chainCheck();
  const counts = noCounts();
  let header: Header | null = null;
  let trailer: Trailer | null = null;
  let last = 0;

  const see = (number: number, text: string): void => {
    const value = parseJson(text);
    if (number === 1) {
      header = headerFrom(value);
      return;
    }
    const isEnd = Trailer.safeParse(value);
    if (isEnd.success) {
      trailer = isEnd.data;
      if (trailer.lines !== number - 1)
        refuse(number, `the trailer has ${trailer.lines} as the number of lines before it`);
      if (trailer.sha256 !== hash.copy().digest('hex')) refuse(number, 'the trailer has another SHA-256');
      return;
    }
    const line = readableLine(number, value);
    counts[line.kind] += 1;
    const fault = chainFault(line);
    if (fault) refuse(number, fault);
  };

  for await (const { number, bytes, isWhole } of fileLines(path)) {
    last = number;
    if (trailer !== null) refuse(number, 'it comes after the trailer');
    if (!isWhole) refuse(number, 'the file was cut off in this line');
    const text = hashChain.open(bytes.toString('utf8', 0, bytes.length - 1));
    if (text === null) {
      const why = 'it was altered, or a line before it is missing or was moved';
      refuse(number, number === 1 ? 'it is not the header of an exported ledger' : why);
    } else see(number, text);
    hash.update(bytes);
  }
  return whole(header, trailer, counts, last);
};

const readableLine = (number: number, value: unknown): Line => {
  try {
    const line = lineFrom(value);
    // The items are not written, so any account will do.
    itemsOf('acct_none', line);
    return line;
  } catch {
    return refuse(number, 'an export does not write such a line');
  }
};

const whole = (header: Header | null, trailer: Trailer | null, counts: unknown, last: number): Checked => {
  if (!header) throw new CommandError('The file is empty.');
  if (!trailer) throw new CommandError(`The file ends with line ${last}, without its trailer: it was cut off.`);
  if (!isDeepStrictEqual({ ...header.counts }, counts)) refuse(1, 'the counts of the header differ from the lines');
  return { header, trailer };
};

/** The lines of a checked file after a line, without header and trailer. */
export const linesAfter = async function* (
  path: string,
  written: number,
  { trailer }: Checked,
): AsyncGenerator<NumberedLine> {
  const hashChain = new LineHashChain();
  for await (const { number, bytes } of fileLines(path)) {
    if (number > trailer.lines) return;
    const text = hashChain.open(bytes.toString('utf8', 0, bytes.length - 1));
    if (text === null) throw new CommandError(`Line ${number}: the file was changed while it was read.`);
    if (number > Math.max(1, written)) yield { number, line: lineFrom(JSON.parse(text)) };
  }
};
