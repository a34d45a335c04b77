import { createReadStream } from 'node:fs';
import { CommandError } from '../../terminal/errors.ts';

// A transaction of 1,000 lines has 2 MB.
const lineBytesMax = 64 * 1024 * 1024;
const lineFeed = 0x0a;

export type FileLine = { readonly number: number; readonly bytes: Buffer; readonly isWhole: boolean };

/** The lines of a file with their number and line feed, one in memory at a time; the last may lack its line feed. */
export const fileLines = async function* (path: string): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed)) {
      yield { number: ++number, bytes: rest.subarray(0, end + 1), isWhole: true };
      rest = rest.subarray(end + 1);
    }
    if (rest.length > lineBytesMax) throw new CommandError(`Line ${number + 1} of ${path} is too long.`);
  }
  if (rest.length > 0) yield { number: number + 1, bytes: rest, isWhole: false };
};
