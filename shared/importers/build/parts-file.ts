import { closeSync, createReadStream, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleasePart } from '../../catalog/content.ts';
import { decode } from '../files/text.ts';

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
    writeFileSync(this.file, this.buffer);
    this.buffer = '';
  }
}

/** The parts of a file, one after another. */
export async function* readParts(path: string): AsyncGenerator<ReleasePart> {
  const bytes = createReadStream(path, { highWaterMark: 1 << 18 });
  for await (const block of decode(bytes, Number.POSITIVE_INFINITY, () => {}))
    for (const line of block.split('\n')) if (line !== '') yield JSON.parse(line);
}
