import { isUtf8 } from 'node:buffer';
import { openFile } from './open-file.ts';

const newline = 0x0a;
const utf8 = new TextDecoder('utf-8');
const windows = new TextDecoder('windows-1252');

/** Reads a line that is not UTF-8 as Windows-1252, a superset of Latin-1: some files mix both. */
const decodeLines = (lines: Buffer): string => {
  if (isUtf8(lines)) return utf8.decode(lines);
  let text = '';
  // Consecutive lines of one encoding are decoded together: a file can have 500,000 lines.
  for (let [start, end] = [0, 0]; start < lines.length; start = end) {
    const isUtf8Line = () => isUtf8(lines.subarray(end, nextEnd()));
    const nextEnd = () => lines.indexOf(newline, end) + 1 || lines.length;
    const isUtf8Run = isUtf8Line();
    do end = nextEnd();
    while (end < lines.length && isUtf8Line() === isUtf8Run);
    text += (isUtf8Run ? utf8 : windows).decode(lines.subarray(start, end));
  }
  return text;
};

const saveAsUtf8 = 'Save it as UTF-8 text (in Excel: "CSV UTF-8") and import that file.';
const utf16Marks = ['\u00ff\u00fe', '\u00fe\u00ff'];

/** Throws if the first bytes are UTF-16 or binary. */
const assertText = (name: string, start: Buffer): void => {
  if (utf16Marks.includes(start.toString('latin1', 0, 2))) throw new Error(`${name} is UTF-16 text. ${saveAsUtf8}`);
  if (start.includes(0)) throw new Error(`${name} has NUL bytes: it is UTF-16, or not text. ${saveAsUtf8}`);
};

/**
 * Decodes a stream of bytes as UTF-8, and lines that are not UTF-8 as Windows-1252. Drops a byte order mark. Blocks end
 * at line ends, except the last one. Throws if a line exceeds `lineMax` bytes, before it fills the memory, or if the
 * file is UTF-16 or not text. Errors include the file name `name`.
 */
export async function* decode(
  bytes: AsyncIterable<Buffer>,
  lineMax: number,
  onBytes: (count: number) => void,
  name = 'The file',
): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst) assertText(name, chunk);
    isFirst = false;
    onBytes(chunk.length);
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      if (rest.length + chunk.length > lineMax)
        throw new Error(`${name} has a line of more than ${lineMax} bytes: pass a text file with one row per line.`);
      rest = Buffer.concat([rest, chunk]);
      continue;
    }
    yield decodeLines(Buffer.concat([rest, chunk.subarray(0, end)]));
    rest = chunk.subarray(end);
  }
  if (rest.length > 0) yield decodeLines(rest);
}

export type OnProgress = (readBytes: number, totalBytes: number) => void;

/** Opens a file, packed or not, as blocks of text (`decode`). The caller closes it. */
export const openText = async (path: string, lineMax: number, onProgress: OnProgress = () => {}) => {
  const { name, bytes, size, close } = await openFile(path);
  let read = 0;
  const onBytes = (count: number) => {
    read += count;
    onProgress(read, size);
  };
  return { name, size, blocks: decode(bytes, lineMax, onBytes, name), close };
};

/** Far above the widest known layout (211 characters). */
const fixedLineMax = 10_000;

/** Reads a fixed-width file line by line, without line ends; leaves out blank lines. Throws if the file cannot be opened. */
export const openLines = async (path: string, onProgress?: OnProgress) => {
  const { name, blocks, close } = await openText(path, fixedLineMax, onProgress);
  async function* rows() {
    let line = 0;
    try {
      for await (const block of blocks)
        for (const text of block.replace(/\n$/, '').split('\n')) {
          line += 1;
          if (text.trim() !== '') yield { line, text: text.replace(/\r$/, '') };
        }
    } finally {
      close();
    }
  }
  return { name, rows: rows() };
};
