/** The only place where an untrusted name becomes the name of a local file. */
import { basename } from 'node:path';

/**
 * File systems allow 255 bytes, which leaves room for `.part` and similar suffixes. Known names are shorter than 100.
 */
const bytesMax = 200;

/**
 * Path separators, characters that Windows forbids, and characters that a terminal executes or hides: control and
 * bidirectional characters.
 */
const unsafe = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

/**
 * Returns a name that is safe as a file name, in messages and in stored records: unsafe characters and leading dots
 * become `_`. It is never empty, never leaves its folder and is at most 200 bytes long.
 */
export const localName = (name: string): string => {
  const short = Buffer.from(name)
    .subarray(0, bytesMax)
    .toString()
    .replace(/\uFFFD$/, '');
  return short.replaceAll(unsafe, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length)) || '_';
};

/** Returns the safe name of a file from its path. */
export const fileName = (path: string): string => localName(basename(path));

/**
 * Returns the safe name of the last segment of a URL, decoded; `null` if the URL ends in `/`, cannot be decoded, or is
 * longer than any publisher's file name.
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
