import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle, type Entry } from '../../../infra/bundling.ts';
import { type Figure, rounded } from './figure.ts';

// Not imported from there: that would read the environment before the bench has set it.
const functions = readdirSync(new URL('../../../functions', import.meta.url))
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'endpoints') as Entry[];

// Not a function of the service, but bundled as one.
const control = '../shared/cli/bench/cold-start-control' as Entry;

const kibibytes = (files: readonly Buffer[]): number =>
  rounded(files.reduce((sum, { length }) => sum + length / 1024, 0));

const codeIn = (folder: string): Buffer[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name)));

/** Bundle every function as the deployment does, and the control of the cold starts, each into a folder of its name. */
export const buildBundles = (folder: string): Figure[] => {
  bundle(control, join(folder, 'control'));
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
