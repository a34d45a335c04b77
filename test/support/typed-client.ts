import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

/** A storefront of its own, outside of the project: nothing there but what is put there. */
export class Storefront {
  readonly folder: string;
  private constructor(folder: string) {
    this.folder = folder;
  }

  static readonly open = async (): Promise<Storefront> => {
    const storefront = new Storefront(await mkdtemp(join(tmpdir(), 'levy-storefront-')));
    // Without it, a .ts file outside of any package is taken for CommonJS.
    await storefront.write('package.json', '{"type":"module"}');
    return storefront;
  };

  readonly path = (name: string) => join(this.folder, name);

  readonly write = (name: string, text: string) => writeFile(this.path(name), text);

  /** Put the workflows of test/fixtures/client there. */
  readonly addWorkflows = () => copyFile(inProject('test/fixtures/client/workflows.ts.txt'), this.path('workflows.ts'));

  /** `npm run client -- --out …`, as whoever has the project runs it. */
  readonly generate = async (out: string): Promise<string> => {
    const { stdout } = await run(process.execPath, [inProject('shared/cli/client.ts'), '--out', out], {
      cwd: this.folder,
      env: { ...process.env, NODE_OPTIONS: '', INIT_CWD: this.folder },
    });
    return stdout;
  };

  /** What tsc says about everything there, line by line: nothing, if it compiles. */
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

  readonly load = (name: string): Promise<any> => import(/* @vite-ignore */ pathToFileURL(this.path(name)).href);

  readonly close = () => rm(this.folder, { recursive: true });
}
