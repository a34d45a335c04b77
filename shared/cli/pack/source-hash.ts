import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const shared = fileURLToPath(new URL('../../', import.meta.url));

/** The folders with the data of the packed content, and the modules that define its layout. */
const dataFolders = ['catalog', 'vocabulary', 'importers/taxability', 'store/client', 'taxjar'];
const layoutModules = [
  'catalog/local/packed-table.ts',
  'cli/pack.ts',
  'cli/pack/local-tables.ts',
  'importers/taxability/answers.ts',
  'importers/taxability/entries.ts',
  'importers/taxability/rows.ts',
  'importers/taxability/rules.ts',
];

/** Whether a file is a source of packed files. The manifest is not: it is written after them. */
const isData = (path: string): boolean => /\.(json|csv|txt)$/.test(path) && path !== 'catalog/manifest.json';

export const hashSources = (): string => {
  const data = dataFolders.flatMap((folder) =>
    readdirSync(`${shared}${folder}`, { recursive: true }).map((name) => `${folder}/${String(name)}`),
  );
  const hash = createHash('sha256');
  for (const path of [...data.filter(isData), ...layoutModules].sort())
    hash.update(`${path}\n`).update(readFileSync(`${shared}${path}`));
  return hash.digest('hex');
};

/** The file with the hash of the sources from which the packed content was generated. */
export const hashFile = `${shared}packed/sources.sha256`;

/** Writes the hash of the sources, after all packed files. */
export const writeSourceHash = (): void => writeFileSync(hashFile, hashSources());
