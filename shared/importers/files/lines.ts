import { decode } from './decode.ts';
import { openFile } from './open-file.ts';

/** A line of a fixed-width file, without its end. */
export type Line = { readonly line: number; readonly text: string };

/** Far above the widest known layout (211 characters). */
const lineMax = 10_000;

/** Read a fixed-width file line by line; blank lines are left out. Throws where the file cannot be opened. */
export const openLines = async (
  path: string,
  onProgress: (readBytes: number, totalBytes: number) => void = () => {},
): Promise<{ readonly name: string; readonly rows: AsyncIterable<Line> }> => {
  const { name, bytes, size, close } = await openFile(path);
  let read = 0;
  const onBytes = (count: number) => {
    read += count;
    onProgress(read, size);
  };
  async function* rows(): AsyncGenerator<Line> {
    let line = 0;
    try {
      for await (const block of decode(bytes, lineMax, onBytes, name))
        for (const text of block.replace(/\n$/, '').split('\n')) {
          line += 1;
          if (text.trim() !== '') yield { line, text: text.replace(/\r$/, '') };
        }
    } finally {
      close();
    }
  }
  return { name, rows: rows() };
};
