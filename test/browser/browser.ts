import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const candidates = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A real Chromium of this machine. `CHROMIUM` names another one. */
export const startBrowser = (): Promise<Browser> => {
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error('Install Chromium, such as with `apt install chromium`, or set CHROMIUM to its path.');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
};

/** The console of a service at a view, and what the browser complained of. */
export const openConsole = async (browser: Browser, url: string, view = '', options: object = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refusal of the API is a message of the network, not of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${url}/console${view}`);
  return { page, complaints, close: () => context.close() };
};

export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

/** Save a screenshot if `SCREENSHOTS` names a folder. */
export const screenshot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['SCREENSHOTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
};

/** The rows of the table with this caption as texts, by the names of its columns. */
export const rowsOf = async (page: Page, caption: string): Promise<Record<string, string>[]> => {
  const table = page.locator('table', { has: page.locator('caption', { hasText: caption }) });
  await table.waitFor();
  for (;;) {
    const more = page.getByRole('region', { name: caption }).getByRole('button', { name: /^Show / });
    if ((await more.count()) === 0) break;
    await more.click();
  }
  const names = await table.locator('thead th').allInnerTexts();
  const rows = await table.locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.locator('td').allInnerTexts();
      return Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? '').trim()]));
    }),
  );
};
