import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, type Metafile, type TransformOptions, transformSync } from 'esbuild';
import type { Operation, ScheduleName } from '../functions/endpoints.ts';
import { packedFiles } from '../shared/packed/pack.ts';

/** The files in functions/ that become Lambda functions. */
export type Entry = Operation | ScheduleName | 'method-not-allowed' | 'announce-changes';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the bundles take for a module of the SDK; `dist-es` is how a stand-in reaches the module itself. */
export const standIns = {
  '@aws-sdk/client-dynamodb': './shared/store/client/sdk/client-dynamodb.ts',
  '@aws-sdk/client-dynamodb/dist-es': './node_modules/@aws-sdk/client-dynamodb/dist-es',
  '@aws-sdk/core/client': './shared/store/client/sdk/core-client.ts',
  '@aws-sdk/core/dist-es': './node_modules/@aws-sdk/core/dist-es',
  '@aws-sdk/lib-dynamodb': './shared/store/client/sdk/lib-dynamodb.ts',
  '@aws-sdk/lib-dynamodb/dist-es': './node_modules/@aws-sdk/lib-dynamodb/dist-es',
  '@aws/lambda-invoke-store': './shared/store/client/sdk/no-invoke-store.ts',
  // Asked for by operations that stream events, of which DynamoDB has none: nothing is carried for it.
  '@smithy/core/event-streams': 'node:events',
  '@smithy/signature-v4': './shared/store/client/sdk/signature-v4.ts',
  '@smithy/signature-v4/dist-es': './node_modules/@smithy/signature-v4/dist-es',
  // The SDK's own variants for where there are no configuration files.
  '@aws-sdk/core/httpAuthSchemes': './node_modules/@aws-sdk/core/dist-es/submodules/httpAuthSchemes/index.browser.js',
  '@smithy/core/endpoints': './node_modules/@smithy/core/dist-es/submodules/endpoints/index.browser.js',
};

// The SDK goes in, at the version that the tests ran with, and ES module sources first, because only they can be
// tree-shaken. Only as ES modules does esbuild split what `import()` loads from what starts.
const splitting = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  sourcemap: 'inline',
  sourcesContent: false,
  metafile: true,
  logLevel: 'error',
  chunkNames: '[name]-[hash]',
  // Nothing is written there. Source maps hold paths relative to the output, and these must not depend on where CDK's
  // temporary folder is, or every checkout would deploy other bytes.
  outdir: join(root, 'out'),
  write: false,
} as const satisfies BuildOptions;

// CommonJS without dynamic imports starts fastest (architecture, decision 11).
const commonJs = {
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

// esbuild also makes files of imports that tree-shaking removed.
const reachable = (outputs: Metafile['outputs'], from: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(from)) return found;
  found.add(from);
  for (const { path } of outputs[from]?.imports ?? []) if (path in outputs) reachable(outputs, path, found);
  return found;
};

/**
 * Build one function into a folder: index.js, the files that it loads later, their source maps, the packed data that
 * they read, and the package.json that makes them CommonJS. What several files need is in one that they share.
 *
 * The deployment, the size test and the bench all come here, so that what is measured is what is deployed.
 */
export const bundle = (entry: Entry, outdir: string, alias: Readonly<Record<string, string>> = standIns): Metafile => {
  const entryPoints = { index: `functions/${entry}.ts` };
  const { outputFiles, metafile } = buildSync({ ...splitting, alias, entryPoints });
  mkdirSync(outdir, { recursive: true });
  const loaded = reachable(metafile.outputs, 'out/index.js');
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    if (!loaded.has(`out/${name}`)) continue;
    const { code, map } = transformSync(text, { ...commonJs, sourcefile: name });
    writeFileSync(join(outdir, name), `${code}//# sourceMappingURL=${name}.map\n`);
    writeFileSync(join(outdir, `${name}.map`), map);
  }
  for (const { path, readBy } of packedFiles)
    if (readBy in metafile.inputs) copyFileSync(path, join(outdir, basename(path)));
  writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  return metafile;
};
