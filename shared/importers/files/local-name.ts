/** The only place where a name that somebody else chose becomes the name of a local file. */
import { basename } from 'node:path';

/** File systems take 255 bytes; `.part` and the like still fit. Known names have less than 100. */
const bytesMax = 200;

/** Separators of folders, what Windows refuses, and what a terminal runs or hides: controls and marks of direction. */
const unsafe = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

/**
 * A name that is safe as the name of a file in a folder, in messages and in stored records: unsafe characters and the
 * dots that it begins with become `_`. It is never empty, never leaves its folder and has at most 200 bytes.
 */
export const localName = (name: string): string => {
  const short = Buffer.from(name)
    .subarray(0, bytesMax)
    .toString()
    .replace(/\uFFFD$/, '');
  return short.replaceAll(unsafe, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length)) || '_';
};

/** The safe name of a file that is given by its path. */
export const fileName = (path: string): string => localName(basename(path));

/**
 * The safe name of the last segment of an address, decoded; `null` where the address ends in `/`, cannot be decoded, or has
 * a longer name than any publisher gives.
 */
export const nameInUrl = ({ pathname }: URL): string | null => {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  if (segment === '' || segment.length > 3 * bytesMax) return null;
  try {
    const name = decodeURIComponent(segment);
    return Buffer.byteLength(name) > bytesMax ? null : localName(name);
  } catch {
    return null;
  }
};
