import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { standIns } from '../../infra/bundling.ts';

type Sdk = typeof import('@aws-sdk/client-dynamodb') & typeof import('@aws-sdk/lib-dynamodb');

// Two of the names of documents are also names of plain items.
const contents = `
  export * from '@aws-sdk/client-dynamodb';
  export * from '@aws-sdk/lib-dynamodb';
  export { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
`;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The SDK as the bundles have it, with the stand-ins for what none of our calls needs. */
export const bundledSdk = (): Sdk => {
  const outfile = join(mkdtempSync(join(tmpdir(), 'levy-sdk-')), 'sdk.cjs');
  buildSync({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    alias: standIns,
    logLevel: 'error',
    outfile,
  });
  return createRequire(import.meta.url)(outfile);
};
