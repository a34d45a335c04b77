import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { startApi } from '../support/api.ts';

// The pages use the real time.
advanceClock(Date.now() - now());

const candidates = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Starts the installed Chromium. `CHROMIUM` overrides its path. */
const startBrowser = (): Promise<Browser> => {
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error('Install Chromium, such as with `apt install chromium`, or set CHROMIUM to its path.');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
};

export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('API key').fill(key);
  await click(page, 'Sign in');
};

let saved = 0;

/** Saves a screenshot, named after the test, if `SCREENSHOTS` is set to a folder. */
const saveScreenshot = async (page: Page): Promise<void> => {
  const folder = process.env['SCREENSHOTS'];
  const test = expect.getState().currentTestName?.replaceAll(/\W+/g, '-');
  if (folder) await page.screenshot({ path: join(folder, `${test}-${++saved}.png`), fullPage: true });
};

type Visit = {
  /** The API key to sign in with. Without a key, the page is not signed in. */
  readonly key?: string;
  readonly mayComplain?: boolean;
  readonly options?: object;
};

/** The console in a browser, for the tests of a file. */
export const useConsole = () => {
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    ({ url } = await startApi());
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  const address = (view: string) => `${url}/console${view}`;

  /** Opens a view in a new tab. Fails if the page logs an error. */
  const visit = async (view: string, visited: Visit, use: (page: Page) => Promise<void>) => {
    const { key, mayComplain = false, options } = visited;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // Browsers log an API refusal as a network message, which is not an error of the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
    await page.goto(address(view));
    if (key) {
      await signIn(page, key);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    }
    await use(page).finally(() => saveScreenshot(page));
    if (!mayComplain) expect(complaints).toEqual([]);
    await context.close();
  };
  return { visit, address, go: (page: Page, view: string) => page.goto(address(view)) };
};

export const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const countButtons = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).count();
export const seeText = (page: Page, text: string) => page.getByText(text).first().waitFor();
export const seeHeading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
export const seeStatus = (page: Page, status: string) => page.getByText(status, { exact: true }).waitFor();

/** Returns the file that a button downloads. */
export const downloadedFile = async (page: Page, button: string): Promise<Buffer> => {
  const [file] = await Promise.all([page.waitForEvent('download'), click(page, button)]);
  return Buffer.concat(await (await file.createReadStream()).toArray());
};

/** Returns the text of the file that a button downloads. */
export const downloaded = async (page: Page, button: string): Promise<string> =>
  (await downloadedFile(page, button)).toString();

/** Sends a request of the page with a key, because a session is accepted only from the page itself. */
export const forward = (route: Route, key: string, url = route.request().url()) => {
  const { 'console-session': _session, cookie: _cookie, ...headers } = route.request().headers();
  return route.fetch({ url, headers: { ...headers, 'X-API-Key': key } });
};

/** Limits each page of a list to one row, so the console has to read the following pages. */
export const oneRowAPage = (route: Route) =>
  route.continue({
    url: route
      .request()
      .url()
      .replace(/limit=\d+/, 'limit=1'),
  });

/** Returns the cell texts of the table with this caption, by column name. */
export const readRows = async (page: Page, caption: string): Promise<Record<string, string>[]> => {
  const table = page.locator('table', { has: page.locator('caption', { hasText: caption }) });
  await table.waitFor();
  const more = page.getByRole('region', { name: caption }).getByRole('button', { name: /^Show / });
  while ((await more.count()) > 0) await more.click();
  const names = await table.locator('thead th').allInnerTexts();
  const rows = await table.locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.locator('td').allInnerTexts();
      return Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? '').trim()]));
    }),
  );
};

/** Returns the cell texts of a column. */
export const getColumn = async (page: Page, caption: string, column: string) =>
  (await readRows(page, caption)).map((row) => row[column]);
