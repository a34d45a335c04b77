import { createReadStream } from 'node:fs';
import { CommandError } from '../../terminal/errors.ts';

// A transaction of 1,000 lines has 2 MB.
const lineBytesMax = 64 * 1024 * 1024;
const lineFeed = 0x0a;

export type FileLine = { readonly number: number; readonly bytes: Buffer; readonly isWhole: boolean };

/** The lines of a file with their number and line feed, one in memory at a time; the last may lack its line feed. */
export const fileLines = async function* (path: string): AsyncGenerator<FileLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 0;
  const line = (isWhole: boolean): FileLine => {
    number += 1;
    const bytes = Buffer.concat(parts);
    parts = [];
    length = 0;
    return { number, bytes, isWhole };
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      parts.push(chunk.subarray(start, end + 1));
      start = end + 1;
      yield line(true);
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > lineBytesMax) throw new CommandError(`Line ${number + 1} of ${path} does not end.`);
  }
  if (parts.length > 0) yield line(false);
};
