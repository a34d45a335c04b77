import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import type { Operation, ScheduleName } from '../shared/http/routes.ts';
import { packedFiles } from '../shared/packed/pack.ts';

/** The files in functions/ that become Lambda functions. */
export type Entry = Operation | ScheduleName | 'method-not-allowed';

const root = fileURLToPath(new URL('..', import.meta.url));

// CommonJS without dynamic imports starts fastest (architecture, decision 11). The SDK goes in, at the version that the
// tests ran with, and ES module sources first, because only they can be tree-shaken.
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  supported: { 'dynamic-import': false },
  alias: {
    '@aws-sdk/credential-provider-node': './shared/store/sdk/env-credentials.ts',
    '@aws/lambda-invoke-store': './shared/store/sdk/no-invoke-store.ts',
    '@aws-sdk/endpoint-cache': './shared/store/sdk/no-endpoint-cache.ts',
    '@smithy/core/checksum': './shared/store/sdk/sha256.ts',
    '@smithy/core/event-streams': './shared/store/sdk/no-event-streams.ts',
  },
  minify: true,
  legalComments: 'none',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'error',
  // Nothing is written there. Source maps hold paths relative to the output, and these must not depend on where CDK's
  // temporary folder is, or every checkout would deploy other bytes.
  outfile: join(root, 'out/index.js'),
  write: false,
} as const satisfies BuildOptions;

/**
 * Build one function into a folder: index.js, its source map, the packed data that it reads, and the
 * package.json that makes it CommonJS.
 *
 * The deployment, the size test and the bench all come here, so that what is measured is what is deployed.
 */
export const bundle = (entry: Entry, outdir: string): Metafile => {
  const { outputFiles, metafile } = buildSync({ ...options, entryPoints: [`functions/${entry}.ts`] });
  mkdirSync(outdir, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(outdir, basename(path)), contents);
  if ('shared/packed/unpack.ts' in metafile.inputs)
    for (const { path } of packedFiles) copyFileSync(path, join(outdir, basename(path)));
  writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  return metafile;
};
