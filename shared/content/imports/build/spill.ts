import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Piece } from './piece.ts';

const fields = ['low', 'high', 'from', 'to', 'order', 'set'] as const satisfies readonly (keyof Piece)[];
const recordBytes = fields.length * 4;
const bufferRecords = 4096;

/** The pieces of one three-digit ZIP: some in memory, the others in a file. */
type Drawer = { buffer: Uint32Array; used: number; file: number | null; written: number };

/**
 * Keeps spans by the first three digits of their ZIPs, in a memory that does not grow with them: 100 kB for each of a
 * state's three-digit ZIPs, of which none has a hundred.
 */
export class Spill {
  private readonly drawers = new Map<number, Drawer>();
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Put a piece that lies within the three-digit ZIP. */
  put(zip3: number, piece: Piece): void {
    let drawer = this.drawers.get(zip3);
    if (!drawer) {
      drawer = { buffer: new Uint32Array(bufferRecords * fields.length), used: 0, file: null, written: 0 };
      this.drawers.set(zip3, drawer);
    }
    for (const field of fields) drawer.buffer[drawer.used++] = piece[field];
    if (drawer.used === drawer.buffer.length) this.flush(zip3, drawer);
  }

  zip3s(): readonly number[] {
    return [...this.drawers.keys()].toSorted((one, other) => one - other);
  }

  /** Take the pieces of a three-digit ZIP out, once: 24 bytes each, in the order in which they came. */
  take(zip3: number): Pieces {
    const drawer = this.drawers.get(zip3);
    if (!drawer) return new Pieces(new Uint32Array(0));
    const bytes = Buffer.alloc(drawer.written + drawer.used * 4);
    if (drawer.file !== null) {
      let read = 0;
      while (read < drawer.written) read += readSync(drawer.file, bytes, read, drawer.written - read, read);
    }
    Buffer.from(drawer.buffer.buffer, 0, drawer.used * 4).copy(bytes, drawer.written);
    this.drop(zip3);
    return new Pieces(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
  }

  /** Close every file that is still open. */
  close(): void {
    for (const zip3 of this.drawers.keys()) this.drop(zip3);
  }

  private drop(zip3: number): void {
    const file = this.drawers.get(zip3)?.file ?? null;
    if (file !== null) closeSync(file);
    this.drawers.delete(zip3);
  }

  private flush(zip3: number, drawer: Drawer): void {
    drawer.file ??= openSync(join(this.folder, `spans-${String(zip3).padStart(3, '0')}`), 'w+');
    const bytes = new Uint8Array(drawer.buffer.buffer, 0, drawer.used * 4);
    let written = 0;
    while (written < bytes.length) written += writeSync(drawer.file, bytes, written, bytes.length - written);
    drawer.written += bytes.length;
    drawer.used = 0;
  }
}

/** Pieces as numbers one after another; an object for each of a million would take more than the memory there is. */
export class Pieces {
  readonly length: number;
  private readonly numbers: Uint32Array;

  constructor(numbers: Uint32Array) {
    this.numbers = numbers;
    this.length = (numbers.length * 4) / recordBytes;
  }

  at(index: number): Piece {
    const [low = 0, high = 0, from = 0, to = 0, order = 0, set = 0] = this.numbers.subarray(
      index * fields.length,
      (index + 1) * fields.length,
    );
    return { low, high, from, to, order, set };
  }

  lowOf(index: number): number {
    return this.numbers[index * fields.length] as number;
  }

  highOf(index: number): number {
    return this.numbers[index * fields.length + 1] as number;
  }
}
