/** The hashes of the built-in releases and of the local tables, which tests compare with the files. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { canonicalJson } from '../../base/canonical-json.ts';

const catalog = new URL('../../catalog/', import.meta.url);

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

const filesIn = (folder: URL): string[] =>
  readdirSync(folder)
    .filter((name) => name !== 'manifest.json')
    .sort();

const writeManifest = (folder: URL, hashes: readonly (readonly [string, string])[]): void =>
  writeFileSync(new URL('manifest.json', folder), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);

/** Write both manifests from the files as they are. */
export const writeManifests = (): void => {
  const releases = new URL('releases/', catalog);
  writeManifest(
    releases,
    filesIn(releases).map((name) => [
      name.replace(/\.json$/, ''),
      sha256(canonicalJson(JSON.parse(readFileSync(new URL(name, releases), 'utf8')))),
    ]),
  );
  const local = new URL('local/', catalog);
  const tables = ['rates.csv', 'zips.csv'];
  writeManifest(
    local,
    tables.map((name) => [name, sha256(readFileSync(new URL(name, local)))]),
  );
};
