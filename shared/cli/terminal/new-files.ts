import { existsSync, rmSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from './run-command.ts';
import { exitOnSignals } from './temporary-folder.ts';

// The files contain ids and addresses of customers.
const ownerOnly = 0o600;

type NewFile = { readonly path: string; readonly text: AsyncIterable<string> | string };

/** Writes new files, all or none. Each file gets its final name only after all files are complete. */
export const writeAll = async (files: readonly NewFile[]): Promise<void> => {
  const partial = (path: string) => `${path}.partial`;
  const taken = files.flatMap(({ path }) => [path, partial(path)]).find((path) => existsSync(path));
  if (taken) throw new CommandError(`The file ${taken} already exists. Remove it, or pass a different --out.`);
  const unfinished = new Set<string>();
  const create = async (path: string) => {
    await writeFile(path, '', { flag: 'wx', mode: ownerOnly });
    unfinished.add(path);
  };
  const remove = () => {
    for (const path of unfinished) rmSync(path, { force: true });
  };
  process.once('exit', remove);
  exitOnSignals();
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true });
      await create(partial(path));
      await writeFile(partial(path), text, { flush: true });
    }
    // Creating the file fails if another process created it concurrently; renaming alone would overwrite it.
    for (const { path } of files) {
      await create(path);
      await rename(partial(path), path);
    }
    unfinished.clear();
  } finally {
    process.off('exit', remove);
    remove();
  }
};
