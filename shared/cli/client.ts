/** `npm run client -- --out <file>`: write the TypeScript client of the API, for a storefront to copy. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { clientText } from './client/client-text.ts';

const documentPath = new URL('../http/openapi.json', import.meta.url);

const program = new Command('client')
  .description('Write the TypeScript client of the API: one file without dependencies')
  .option('--out <file>', 'where to', 'levy-client.ts')
  .action(({ out }: { out: string }) => {
    // npm runs scripts in the project's folder, wherever it was called.
    const path = resolve(process.env['INIT_CWD'] ?? '', out);
    writeFileSync(path, clientText(JSON.parse(readFileSync(documentPath, 'utf8'))));
    console.log(`Written: ${path}`);
  });

program.parse();
