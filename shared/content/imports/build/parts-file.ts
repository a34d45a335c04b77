import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleasePart } from '../../content.ts';
import { decode } from '../files/decode.ts';

const bufferLength = 1 << 20;

/** The parts of a release as lines of JSON in a file: written once, readable repeatedly. */
export class PartsFile {
  readonly path: string;
  private readonly file: number;
  private buffer = '';
  count = 0;

  constructor(folder: string) {
    this.path = join(folder, 'parts.jsonl');
    this.file = openSync(this.path, 'w');
  }

  write(line: string): void {
    this.buffer += `${line}\n`;
    this.count += 1;
    if (this.buffer.length >= bufferLength) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    const bytes = Buffer.from(this.buffer);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.file, bytes, written);
    this.buffer = '';
  }
}

/** The lines of a file of parts, one after another. */
export async function* partLines(path: string): AsyncGenerator<string> {
  const bytes = createReadStream(path, { highWaterMark: 1 << 18 });
  for await (const block of decode(bytes, Number.POSITIVE_INFINITY, () => {}))
    for (const line of block.split('\n')) if (line !== '') yield line;
}

export async function* readParts(path: string): AsyncGenerator<ReleasePart> {
  for await (const line of partLines(path)) yield JSON.parse(line);
}
