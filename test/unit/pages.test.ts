/** Links and npm commands in the Markdown pages. The wording of the pages is not tested. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['*.md', 'infra/**/*.md', 'shared/**/*.md', 'test/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  // The anchors of the guide are sections of the page at GET /docs.
  .filter((page) => page !== 'shared/docs/guide.md')
  .sort();
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** A heading as a link names it: "Test the alarm route" is `test-the-alarm-route`. */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(pages)('%s has no broken link', (page) => {
  const broken = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsIn(read(file)).includes(anchor);
    });
  expect(broken).toEqual([]);
});

it.each(pages)('%s names only npm scripts that exist', (page) => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...read(page).matchAll(/npm run (?:-s |--silent )?([a-z][\w-]*)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

it.each(pages)('%s names only source files that exist', (page) => {
  const named = [...read(page).matchAll(/`((?:functions|infra|shared|test)\/[\w./-]+\.\w+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
