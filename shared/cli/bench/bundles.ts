import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle, type Entry } from '../../../infra/bundling.ts';
import { type Figure, rounded } from './figure.ts';

// Not imported from there: that would read the environment before the bench has set it.
const functions = readdirSync(new URL('../../../functions', import.meta.url))
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'endpoints') as Entry[];

// Not a function of the service, but built as one: with the client that the SDK publishes, and with the one that our bundles have.
const control = '../shared/cli/bench/cold-start-control' as Entry;
const publishedClient = { '@aws-sdk/credential-provider-node': './shared/cli/bench/cold-start-credentials.ts' };

const kibibytes = (files: readonly Buffer[]): number =>
  rounded(files.reduce((sum, { length }) => sum + length / 1024, 0));

const codeIn = (folder: string): Buffer[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name)));

/** Build every function as it is deployed, and the two controls of the cold starts; each into a folder of its name. */
export const buildBundles = (folder: string): Figure[] => {
  bundle(control, join(folder, 'control'), publishedClient);
  bundle(control, join(folder, 'control with our client'));
  return functions.map((name) => {
    bundle(name, join(folder, name));
    const code = codeIn(join(folder, name));
    return {
      figure: 'bundle',
      of: name,
      minified_kibibytes: kibibytes(code),
      gzipped_kibibytes: kibibytes(code.map((file) => gzipSync(file))),
    };
  });
};
