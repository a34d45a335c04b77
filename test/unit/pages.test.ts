/** Links and npm commands in the Markdown pages. The wording of the pages is not tested. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { customersProgram } from '../../shared/cli/customers.ts';
import { filingsProgram } from '../../shared/cli/filings.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { ordersProgram } from '../../shared/cli/orders.ts';
import { root } from '../support/child-process.ts';

const pages = ['*.md', 'infra/**/*.md', 'shared/**/*.md', 'test/*.md', 'integrations/*/README.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  // The anchors of the guide are sections of the page at GET /docs.
  .filter((page) => page !== 'shared/docs/guide.md')
  .sort();
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** Returns the anchors of a page's headings: `test-the-alarm-route` for "Test the alarm route". */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

const linksIn = (page: string) => [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
const isBroken = (page: string, target: string): boolean => {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return true;
  return anchor !== undefined && file.endsWith('.md') && !anchorsIn(read(file)).includes(anchor);
};

/** The npm scripts that a page can mention: scripts of the project and of the page's package. */
const listScripts = (page: string): object => {
  const own = join(dirname(page), 'package.json');
  const files = ['package.json', ...(page.startsWith('integrations/') && existsSync(join(root, own)) ? [own] : [])];
  return Object.assign({}, ...files.map((file) => JSON.parse(read(file)).scripts));
};

const programs: Readonly<Record<string, () => Command>> = {
  accounts: accountsProgram,
  content: contentProgram,
  customers: customersProgram,
  filings: filingsProgram,
  ledger: ledgerProgram,
  orders: ordersProgram,
};

/** Returns the command that the words select. */
const getCommand = (program: Command, [first = '', ...others]: readonly string[]): Command => {
  const found = program.commands.find((command) => command.name() === first);
  return found ? getCommand(found, others) : program;
};

const isCommand = (name: string, text: string): boolean => {
  const words = text.trim().split(/\s+/);
  const command = getCommand((programs[name] as () => Command)(), words);
  if (command.commands.length > 0 && !words.includes('--help') && words[0] !== '…') return false;
  const known = [...command.options.map(({ long }) => long), '--help'];
  return words.filter((word) => /^--[a-z]/.test(word)).every((word) => known.includes(word.replace(/=.*/, '')));
};

it.each(pages)('names only pages, files, npm scripts, commands and options that exist in %s', (page) => {
  const text = read(page);
  const links = linksIn(page).filter((target) => !/^[a-z]+:/.test(target));
  expect(links.filter((target) => isBroken(page, target))).toEqual([]);
  const scripts = [...text.matchAll(/npm run (?:-s |--silent )?([a-z][\w-]*)/g)].map(([, name = '']) => name);
  expect(scripts.filter((name) => !Object.hasOwn(listScripts(page), name))).toEqual([]);
  const files = [...text.matchAll(/`((?:functions|infra|shared|test)\/[\w./-]+\.\w+)`/g)].map(([, path = '']) => path);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const commands = [
    ...text.matchAll(/npm run (?:-s |--silent )?(accounts|content|customers|filings|ledger) -- ([^`\n|#]+)/g),
  ];
  expect(commands.filter(([, name = '', words = '']) => !isCommand(name, words)).map(([line]) => line)).toEqual([]);
});
