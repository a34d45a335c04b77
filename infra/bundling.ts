import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, type Metafile, type TransformOptions, transformSync } from 'esbuild';
import { endpoints, type Operation, type ScheduleName, schedules } from '../functions/endpoints.ts';
import { packedFiles } from '../shared/cli/pack.ts';

/** The files in functions/ that become Lambda functions. */
export const entries = [
  ...(Object.keys({ ...endpoints, ...schedules }) as (Operation | ScheduleName)[]),
  'method-not-allowed',
  'taxjar',
  'announce-changes',
  'count-transactions',
  'update-content',
] as const;
export type Entry = (typeof entries)[number];

const root = fileURLToPath(new URL('..', import.meta.url));

// ES module sources first: only they can be tree-shaken, and esbuild splits at `import()` for ES modules only.
const moduleOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: {
    '@aws-sdk/credential-provider-node': './shared/store/client/sdk-replacements.ts',
    '@aws-sdk/endpoint-cache': './shared/store/client/sdk-replacements.ts',
  },
  define: { isBundle: 'true' },
  // The SDK imports this entry for operations with event streams. DynamoDB has none, so it is never loaded.
  external: ['@smithy/core/event-streams'],
  minify: true,
  legalComments: 'none',
  sourcemap: 'inline',
  sourcesContent: false,
  metafile: true,
  logLevel: 'error',
  chunkNames: '[name]-[hash]',
  // esbuild writes no files here, but source maps contain paths relative to `outdir`, so a temporary folder would
  // change the code's hash with every checkout.
  outdir: join(root, 'out'),
  write: false,
} as const satisfies BuildOptions;

// CommonJS without dynamic imports has the shortest cold start.
const commonJsOptions = {
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  supported: { 'dynamic-import': false },
  minify: true,
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
  logLevel: 'error',
} as const satisfies TransformOptions;

// esbuild emits files even for imports that tree-shaking removed.
const reachable = (outputs: Metafile['outputs'], from: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(from)) return found;
  found.add(from);
  for (const { path } of outputs[from]?.imports ?? []) if (path in outputs) reachable(outputs, path, found);
  return found;
};

/**
 * Bundles one function into a folder: index.js, its lazily loaded files, its packed data files, and a package.json that
 * makes the code CommonJS. `mapsDir` gets the source maps of the same code. A deployment omits them: they are half of
 * all bytes, and Lambda does not read them (decision 0003).
 *
 * The deployment, the tests and the benchmark call this function, so they all use the same code.
 */
export const bundle = (entry: Entry, outdir: string, mapsDir: string | null = null): Metafile => {
  // Exports only the handler: tree-shaking removes the documentation of an endpoint.
  const stdin = {
    contents: `export { handler } from './functions/${entry}.ts'`,
    resolveDir: root,
    sourcefile: 'index.ts',
  };
  const { outputFiles, metafile } = buildSync({ ...moduleOptions, stdin });
  mkdirSync(outdir, { recursive: true });
  const loaded = reachable(metafile.outputs, 'out/stdin.js');
  for (const { path, text } of outputFiles) {
    const output = basename(path);
    if (!loaded.has(`out/${output}`)) continue;
    const name = output.replace('stdin', 'index');
    const { code, map } = transformSync(text, { ...commonJsOptions, sourcefile: name });
    writeFileSync(join(outdir, name), code);
    if (mapsDir !== null) writeFileSync(join(mapsDir, `${name}.map`), map);
  }
  const sources = new Set([...loaded].flatMap((output) => Object.keys(metafile.outputs[output]?.inputs ?? {})));
  for (const { path, readBy } of packedFiles) if (sources.has(readBy)) copyFileSync(path, join(outdir, basename(path)));
  writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  return metafile;
};
