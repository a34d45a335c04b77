import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOrAdd } from '../../base/collections.ts';
import { limits, refuseTooMany } from '../limits.ts';
import type { Piece } from './resolve.ts';

const fields = ['low', 'high', 'from', 'to', 'order', 'set'] as const satisfies readonly (keyof Piece)[];
const bufferRecords = 4096;

const zipUnit = 10_000;
const zipsOfZip3 = 100;

/** The pieces of one three-digit ZIP: some in memory, the rest in a file. */
const newPartition = () => ({
  buffer: new Uint32Array(bufferRecords * fields.length),
  used: 0,
  /** Bytes in the file. */
  written: 0,
  /** The number of pieces that touch each ZIP of the partition, by the last two digits. */
  counts: new Uint32Array(zipsOfZip3),
});
type Partition = ReturnType<typeof newPartition>;

/**
 * Counts a piece in each ZIP that it touches. Throws if a ZIP or the whole partition has more pieces than fit in
 * memory.
 */
const count = (zip3: number, { counts, used, written }: Partition, { low, high }: Piece): void => {
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
 * Stores spans on disk in named files, partitioned by the first three digits of their ZIPs. Memory is constant: 100 kB
 * for each three-digit ZIP of a state. No state has a hundred of them.
 */
export const newSpanSpill = (folder: string, name: string) => {
  const partitions = new Map<number, Partition>();
  const getPath = (zip3: number): string => join(folder, `${name}-${String(zip3).padStart(3, '0')}`);
  const flush = (zip3: number, partition: Partition): void => {
    const bytes = new Uint8Array(partition.buffer.buffer, 0, partition.used * 4);
    writeFileSync(getPath(zip3), bytes, { flag: partition.written === 0 ? 'w' : 'a' });
    partition.written += bytes.length;
    partition.used = 0;
  };
  return {
    /** Adds a piece within the three-digit ZIP. Throws if there are more than fit in memory. */
    put(zip3: number, piece: Piece): void {
      const partition = getOrAdd(partitions, zip3, newPartition);
      count(zip3, partition, piece);
      for (const field of fields) partition.buffer[partition.used++] = piece[field];
      if (partition.used === partition.buffer.length) flush(zip3, partition);
    },
    zip3s: (): readonly number[] => [...partitions.keys()].toSorted((a, b) => a - b),
    /** Removes and returns the pieces of a three-digit ZIP, 24 bytes each, in the order in which they were added. */
    take(zip3: number): Pieces {
      const partition = partitions.get(zip3) ?? newPartition();
      partitions.delete(zip3);
      if (partition.written === 0) return listPieces(partition.buffer.subarray(0, partition.used));
      flush(zip3, partition);
      const bytes = readFileSync(getPath(zip3));
      return listPieces(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
    },
  };
};
export type SpanSpill = ReturnType<typeof newSpanSpill>;

/** A compact array of pieces; a million objects would not fit in memory. */
const listPieces = (numbers: Uint32Array) => ({
  length: numbers.length / fields.length,
  at(index: number): Piece {
    const start = index * fields.length;
    const [low = 0, high = 0, from = 0, to = 0, order = 0, set = 0] = numbers.subarray(start, start + fields.length);
    return { low, high, from, to, order, set };
  },
  getLow: (index: number) => numbers[index * fields.length] as number,
  getHigh: (index: number) => numbers[index * fields.length + 1] as number,
});
export type Pieces = ReturnType<typeof listPieces>;
