/** Links and npm commands in the Markdown pages. The wording of the pages is not tested. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { customersProgram } from '../../shared/cli/customers.ts';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['*.md', 'infra/**/*.md', 'shared/**/*.md', 'test/*.md', 'integrations/*/README.md']
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
  const own = join(dirname(page), 'package.json');
  const files = ['package.json', ...(page.startsWith('integrations/') && existsSync(join(root, own)) ? [own] : [])];
  const scripts = Object.assign({}, ...files.map((file) => JSON.parse(read(file)).scripts));
  const named = [...read(page).matchAll(/npm run (?:-s |--silent )?([a-z][\w-]*)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

it.each(pages)('%s names only source files that exist', (page) => {
  const named = [...read(page).matchAll(/`((?:functions|infra|shared|test)\/[\w./-]+\.\w+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

const programs: Readonly<Record<string, () => Command>> = {
  accounts: accountsProgram,
  content: contentProgram,
  customers: customersProgram,
  filings: filingsProgram,
  ledger: ledgerProgram,
};

/** The command that the words select, and the words after it. */
const commandOf = (program: Command, words: readonly string[]): readonly [Command, readonly string[]] => {
  const [first = '', ...others] = words;
  const found = program.commands.find((command) => command.name() === first);
  return found ? commandOf(found, others) : [program, words];
};

it.each(pages)('%s names only commands and options that exist', (page) => {
  const lines = [
    ...read(page).matchAll(/npm run (?:-s |--silent )?(accounts|content|customers|filings|ledger) -- ([^`\n|#]+)/g),
  ];
  const wrong = lines.flatMap(([line, name = '', text = '']) => {
    const words = text.trim().split(/\s+/);
    const [command] = commandOf((programs[name] as () => Command)(), words);
    const isGroup = command.commands.length > 0 && !words.includes('--help') && words[0] !== '…';
    const known = [...command.options.map(({ long }) => long), '--help'];
    const unknown = words
      .filter((word) => /^--[a-z]/.test(word))
      .filter((word) => !known.includes(word.replace(/=.*/, '')));
    return isGroup || unknown.length > 0 ? [line] : [];
  });
  expect(wrong).toEqual([]);
});
