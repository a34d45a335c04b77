import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text as string);

/** Sets up a server as the README describes, with the types and modules of this package. */
const writeServer = (): string => {
  const server = mkdtempSync(join(tmpdir(), 'levy-readme-'));
  for (const folder of ['integrations/vendure', 'integrations/core', 'shared/client']) {
    mkdirSync(join(server, 'src', folder), { recursive: true });
    for (const name of readdirSync(join(root, folder)).filter((file) => /(?<!config)\.ts$/.test(file)))
      cpSync(join(root, folder, name), join(server, 'src', folder, name));
  }
  symlinkSync(join(root, 'integrations/vendure/node_modules'), join(server, 'node_modules'));
  const [configuration, fulfillment, script] = blocks('ts') as [string, string, string];
  writeFileSync(join(server, 'src/vendure-config.ts'), configuration);
  writeFileSync(join(server, 'src/fulfillment.ts'), fulfillment);
  writeFileSync(join(server, 'src/reconcile-orders.ts'), script);
  const { compilerOptions } = JSON.parse(blocks('json')[0] as string);
  const types = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] };
  const paths = { rootDir: 'src', outDir: 'dist' };
  writeFileSync(
    join(server, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...types, ...paths }, include: ['src'] }),
  );
  return server;
};

it("compiles and loads the README's configuration with its options", () => {
  const server = writeServer();
  const run = (file: string, args: readonly string[], env: object = {}) =>
    execFileSync(file, args, { cwd: server, encoding: 'utf8', env: { ...process.env, ...env } });
  run(join(root, 'node_modules/.bin/tsc'), ['-p', '.']);
  const load = "console.log(require('./dist/vendure-config.js').config.plugins.length)";
  const env = { LEVY_URL: 'http://127.0.0.1:9', LEVY_API_KEY: 'levy_none' };
  expect(run(process.execPath, ['-e', load], env).trim()).toBe('3');
});
