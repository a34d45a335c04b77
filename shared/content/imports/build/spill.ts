import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { limits, refuseTooMany } from '../limits.ts';
import type { Piece } from './piece.ts';

const fields = ['low', 'high', 'from', 'to', 'order', 'set'] as const satisfies readonly (keyof Piece)[];
const recordBytes = fields.length * 4;
const bufferRecords = 4096;

const zipUnit = 10_000;
const zipsOfZip3 = 100;

/** The pieces of one three-digit ZIP: some in memory, the others in a file. */
type Drawer = {
  buffer: Uint32Array;
  used: number;
  file: number | null;
  written: number;
  /** How many pieces touch each of its ZIPs, by the last two digits. */
  readonly counts: Uint32Array;
};

const newDrawer = (): Drawer => ({
  buffer: new Uint32Array(bufferRecords * fields.length),
  used: 0,
  file: null,
  written: 0,
  counts: new Uint32Array(zipsOfZip3),
});

/** Count a piece in each ZIP that it touches. Throws where a ZIP, or all of the drawer, has more than fits in memory. */
const count = (zip3: number, { counts, used, written }: Drawer, { low, high }: Piece): void => {
  const pieces = (written / 4 + used) / fields.length;
  if (pieces > limits.rowsOfZip3)
    refuseTooMany(limits.rowsOfZip3, `rows of ZIP codes that begin with ${String(zip3).padStart(3, '0')}`);
  const last = Math.floor(high / zipUnit);
  for (let zip = Math.floor(low / zipUnit); zip <= last; zip += 1) {
    const own = (counts[zip % zipsOfZip3] ?? 0) + 1;
    counts[zip % zipsOfZip3] = own;
    if (own > limits.rowsOfZip) refuseTooMany(limits.rowsOfZip, `rows of ZIP ${String(zip).padStart(5, '0')}`);
  }
};

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

  /** Put a piece that lies within the three-digit ZIP. Throws where there are more than fit in memory. */
  put(zip3: number, piece: Piece): void {
    const drawer = this.drawers.get(zip3) ?? newDrawer();
    if (drawer.used + drawer.written === 0) this.drawers.set(zip3, drawer);
    count(zip3, drawer, piece);
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
