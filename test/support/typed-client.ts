import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const inProject = (path: string) => fileURLToPath(new URL(path, root));

const strict = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'nodenext',
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
};

/** A project outside of the repository, with openapi-fetch as its only package. */
export class Storefront {
  readonly folder: string;
  private constructor(folder: string) {
    this.folder = folder;
  }

  static readonly open = async (): Promise<Storefront> => {
    const storefront = new Storefront(await mkdtemp(join(tmpdir(), 'levy-storefront-')));
    // Node treats a .ts file outside of any package as CommonJS.
    await storefront.write('package.json', '{"type":"module"}');
    await mkdir(storefront.path('node_modules'));
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      await symlink(inProject(`node_modules/${name}`), storefront.path(`node_modules/${name}`));
    return storefront;
  };

  readonly path = (name: string) => join(this.folder, name);

  readonly write = (name: string, text: string) => writeFile(this.path(name), text);

  /** Copy the workflows of test/fixtures/client. */
  readonly addWorkflows = () => copyFile(inProject('test/fixtures/client/workflows.ts.txt'), this.path('workflows.ts'));

  /** Run `npm run client -- --out …`. */
  readonly generate = async (out: string): Promise<string> => {
    const { stdout } = await run(process.execPath, [inProject('shared/cli/client.ts'), '--out', out], {
      cwd: this.folder,
      env: { ...process.env, NODE_OPTIONS: '', INIT_CWD: this.folder },
    });
    return stdout;
  };

  /** The errors of tsc, one line each. */
  readonly compile = async (libraries: readonly string[]): Promise<string[]> => {
    const compilerOptions = { ...strict, lib: libraries, types: [] };
    await this.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    try {
      await run(inProject('node_modules/.bin/tsc'), ['-p', this.folder], { cwd: this.folder });
      return [];
    } catch (error) {
      return String((error as { stdout?: string }).stdout || error)
        .split('\n')
        .filter((line) => /error/.test(line));
    }
  };

  readonly load = <Module>(name: string): Promise<Module> =>
    import(/* @vite-ignore */ pathToFileURL(this.path(name)).href);

  readonly close = () => rm(this.folder, { recursive: true });
}
