/** `npm run client -- --out <file>`: write the TypeScript client of the API, for a storefront to copy. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { clientText } from './client/client-text.ts';
import { CommandError } from './content/command-error.ts';
import { explainError } from './content/explain-error.ts';
import { runCommand } from './run-command.ts';

const documentPath = new URL('../http/openapi.json', import.meta.url);

const program = new Command('client')
  .description('Write the TypeScript client of the API: one file without dependencies')
  .option('--out <file>', 'where to', 'levy-client.ts')
  .action(({ out }: { out: string }) => {
    // npm runs scripts in the project's folder, wherever it was called.
    const path = resolve(process.env['INIT_CWD'] ?? '', out);
    const text = clientText(JSON.parse(readFileSync(documentPath, 'utf8')));
    try {
      writeFileSync(path, text);
    } catch (error) {
      throw new CommandError(`The client cannot be written: ${(error as Error).message}.`);
    }
    console.log(`Written: ${path}`);
  });

await runCommand(program, explainError);
