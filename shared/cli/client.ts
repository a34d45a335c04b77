/** `npm run client -- --out <file>`: write the TypeScript client of the API into a file of another project. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { pathOf } from './terminal/arguments.ts';
import { CommandError } from './terminal/errors.ts';
import { runCommand } from './terminal/run-command.ts';

const read = (name: string): string => readFileSync(new URL(`client/${name}`, import.meta.url), 'utf8');

/** The client and its types as the text of one module, which imports `openapi-fetch` only. */
const clientText = (): string =>
  [
    '// The TypeScript client of the Levy API, written by `npm run client`. It needs the package openapi-fetch.',
    read('runtime.ts').replace(/^import .*'\.\/openapi-types\.ts';\n/m, ''),
    read('openapi-types.ts'),
  ].join('\n');

const program = new Command('client')
  .description('Write the TypeScript client of the API into one file')
  .option('--out <file>', 'path of the file', 'levy-client.ts')
  .action(({ out }: { out: string }) => {
    const path = pathOf(out);
    try {
      writeFileSync(path, clientText());
    } catch (error) {
      throw new CommandError(`Cannot write the client: ${(error as Error).message}.`);
    }
    console.log(`Written: ${path}`);
  });

await runCommand(program);
