import type { Page, Route } from 'playwright-core';
import { click } from './browser.ts';

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
