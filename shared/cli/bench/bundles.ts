import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle, type Entry } from '../../../infra/bundling.ts';
import { routes, schedules } from '../../http/routes.ts';
import { type Figure, rounded } from './figure.ts';

const functions = [...Object.keys(routes), ...Object.keys(schedules), 'method-not-allowed'] as Entry[];

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
