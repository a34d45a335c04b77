/** What the pages of the project promise a reader: that links lead somewhere, and commands and endpoints are there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['*.md', 'infra/**/*.md', 'shared/**/*.md', 'test/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  // Not a page here, but a part of the one at GET /docs.
  .filter((page) => page !== 'shared/docs/guide.md')
  .sort();
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** A heading as links name it: `#the-chain-of-hashes-for-an-auditor`. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

it('are these at least', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'test/README.md']),
  );
});

describe.each(pages)('%s', (page) => {
  it('links to what is there', () => {
    const lost = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, file))) return true;
        return anchor !== undefined && file.endsWith('.md') && !anchorsOf(read(file)).includes(anchor);
      });
    expect(lost).toEqual([]);
  });

  it('names only commands that there are', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(page).matchAll(/npm run (?:-s |--silent )?([a-z][\w-]*)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

it("the README's table has every endpoint, with what a caller needs for it", () => {
  const rows = [
    ...read('README.md').matchAll(/^\| `(GET|POST) (\S+)` \| \[([\w-]+)\]\(functions\/[\w-]+\.ts\) \| (\w+) \|/gm),
  ];
  const told = rows.map(([, method, path, name, scope]) => `${method} ${path} ${name} ${scope}`);
  const there = Object.entries(endpoints).map(
    ([name, { method, path, scope }]) => `${method} ${path} ${name} ${scope ?? 'none'}`,
  );
  expect(told.toSorted()).toEqual(there.toSorted());
});
