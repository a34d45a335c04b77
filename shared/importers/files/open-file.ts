import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';
import { fileName } from '../updates/file-names.ts';

/** An open file as bytes, unpacked if it is in a ZIP file. */
type OpenFile = {
  /** The name of the packed file, if the file is packed. */
  readonly name: string;
  readonly bytes: Readable;
  /** The size in bytes of the file on disk, or of the unpacked file if it is in a ZIP file. */
  readonly size: number;
  readonly close: () => void;
};

/** Returns the first bytes of a file, or the whole file if it is shorter. */
export const firstBytes = async (path: string, count: number): Promise<Buffer> =>
  Buffer.concat(await createReadStream(path, { end: count - 1 }).toArray());

/** Returns the SHA-256 of a file's content, hexadecimal. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

// The second signature marks an empty ZIP file.
const zipStarts: readonly string[] = ['PK\u0003\u0004', 'PK\u0005\u0006'];

// Excludes the metadata files that macOS and Windows add.
const isText = ({ fileName }: yauzl.Entry): boolean =>
  /\.(?:csv|txt|tsv)$/i.test(fileName) && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(fileName);

// Several times the largest state's files. The stream fails if the entry is longer than the size in its header.
const unpackedBytesMax = 2 ** 31;
// Rates compress to a tenth or less. A 1 MB zip bomb unpacks to a thousand times its size, and would take minutes to
// read.
const ratioMax = 100;
const smallBytes = 8 * 1024 * 1024;

/**
 * More entries than any archive of rates or any workbook has. Each one takes memory and time before it can be refused.
 */
const entriesMax = 1000;

/** Opens a ZIP file to read its entries one by one. Throws if it has too many. The caller closes it. */
export const openZip = async (path: string): Promise<yauzl.ZipFile> => {
  const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false });
  if (zip.entryCount <= entriesMax) return zip;
  zip.close();
  throw new Error(`it contains ${zip.entryCount} files; expected one. Unpack it first.`);
};

const openPacked = async (path: string): Promise<OpenFile> => {
  const zip = await openZip(path).catch((error: Error) => {
    throw new Error(`${fileName(path)} cannot be read as a ZIP file: ${error.message}`, { cause: error });
  });
  const found: yauzl.Entry[] = [];
  for await (const entry of zip.eachEntry()) if (isText(entry)) found.push(entry);
  const [entry, ...others] = found;
  const refuse = (reason: string): never => {
    zip.close();
    throw new Error(`${fileName(path)} ${reason}`);
  };
  if (!entry || others.length > 0)
    return refuse(`contains ${found.length} .csv or .txt files; expected one. Unpack it first.`);
  if (entry.uncompressedSize > unpackedBytesMax) refuse('unpacks to more than 2 GiB. Unpack it first.');
  if (entry.uncompressedSize > Math.max(smallBytes, ratioMax * entry.compressedSize))
    refuse(`unpacks to more than ${ratioMax} times its size. If the file is correct, unpack it first.`);
  const bytes = await zip.openReadStreamPromise(entry);
  return { name: fileName(entry.fileName), bytes, size: entry.uncompressedSize, close: () => zip.close() };
};

/**
 * Opens a file for reading. The first bytes decide whether it is a ZIP file, because names vary. Throws if the file
 * does not exist, or if a ZIP file does not contain exactly one text file.
 */
export const openFile = async (path: string): Promise<OpenFile> => {
  const start = await firstBytes(path, 4);
  if (zipStarts.includes(start.toString('latin1'))) return openPacked(path);
  const bytes = createReadStream(path, { highWaterMark: 1 << 18 });
  await once(bytes, 'open');
  return { name: fileName(path), bytes, size: (await stat(path)).size, close: () => bytes.destroy() };
};
