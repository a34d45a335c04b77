import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const strict = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
};

/** A project outside of the repository that has installed the packed client and its examples. */
export class Storefront {
  readonly folder: string;
  private constructor(folder: string) {
    this.folder = folder;
  }

  static readonly open = async (): Promise<Storefront> => {
    const storefront = new Storefront(await mkdtemp(join(tmpdir(), 'levy-storefront-')));
    const { folder } = storefront;
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const pack = ['pack', '--silent', '--pack-destination', folder];
    const { stdout } = await run('npm', pack, { cwd: inProject('shared/client') });
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${stdout.trim()}`], { cwd: folder });
    await mkdir(join(folder, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types'])
      await symlink(inProject(`node_modules/${name}`), join(folder, 'node_modules', name));
    await copyFile(join(folder, 'node_modules/levy-client/examples/checkout.ts'), join(folder, 'checkout.ts'));
    return storefront;
  };

  /** Run a command, and return what it prints. */
  readonly run = async (file: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { stdout } = await run(file, words, { cwd: this.folder, env: { ...process.env, NODE_OPTIONS: '', ...env } });
    return stdout;
  };

  /** Compile the example to `out`, as strict as TypeScript can be. Throws with the errors of tsc. */
  readonly compile = async (tsc: readonly [file: string, ...words: string[]], options: object = {}) => {
    const compilerOptions = { ...strict, noEmit: false, outDir: 'out', ...options };
    await writeFile(join(this.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const [file, ...words] = tsc;
    await this.run(file, [...words, '-p', '.']).catch((error) => {
      throw new Error(error.stdout || error.message);
    });
  };

  readonly close = () => rm(this.folder, { recursive: true });
}

/** The compiler of this repository. */
export const ownCompiler = inProject('node_modules/.bin/tsc');
