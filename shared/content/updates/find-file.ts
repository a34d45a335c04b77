/** Finds the current files of a publisher. */
import { Parser } from 'htmlparser2';
import { type PublisherClient, PublisherFailure } from './publisher-client.ts';
import type { PublishedFile } from './publishers.ts';

export type CurrentFile = {
  readonly option: PublishedFile['option'];
  /** The publisher's own address of the file. */
  readonly url: string;
  /** The last segment of the address. It contains the quarter where the publisher names files so. */
  readonly name: string;
};

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/**
 * A number that sorts names of files by quarter, then by the day of publication: `2026Q4AUG18`. `null` for other names.
 *
 * Files of a quarter appear up to six months before it begins, and corrections during it. So the months of publication
 * are counted from six months before the first day of the quarter.
 */
export const publicationOrder = (text: string): number | null => {
  const { year, quarter, month, day } =
    /^(?<year>20\d\d)Q(?<quarter>[1-4])(?<month>[A-Z]{3})(?<day>\d{1,2})$/.exec(text)?.groups ?? {};
  const index = months.indexOf(month ?? '');
  if (index === -1) return null;
  const firstMonth = (Number(quarter) - 1) * 3;
  const monthsAfter = (index - firstMonth + 18) % 12;
  return ((Number(year) * 4 + Number(quarter)) * 12 + monthsAfter) * 31 + Number(day) - 1;
};

/** The addresses of all links of an HTML page, absolute; links that are no address are left out. */
const linksOf = (html: string, base: string): readonly URL[] => {
  const links: URL[] = [];
  const parser = new Parser({
    onopentag: (tag, { href }) => {
      if (tag === 'a' && href !== undefined && URL.canParse(href, base)) links.push(new URL(href, base));
    },
  });
  parser.end(html);
  return links;
};

/** The last segment of an address without its query. */
const nameOf = ({ pathname }: URL): string => decodeURIComponent(pathname.split('/').at(-1) ?? '');

type Index = PublishedFile & { readonly find: 'index' };

/** The newest file that an index page links to; `null` if the page names none. */
const newestLinked = (html: string, { option, url, name }: Index): CurrentFile | null => {
  let newest: (CurrentFile & { readonly order: number }) | null = null;
  for (const link of linksOf(html, url)) {
    const found = nameOf(link).toUpperCase();
    const [, stamp] = /^(.*)\.(?:ZIP|CSV|TXT)$/.exec(found) ?? [];
    if (stamp === undefined || !stamp.startsWith(name)) continue;
    const order = publicationOrder(stamp.slice(name.length));
    if (order === null || (newest && order <= newest.order)) continue;
    newest = { option, url: link.href, name: nameOf(link), order };
  }
  return newest && { option, url: newest.url, name: newest.name };
};

/** Find the current file of each kind that a publisher offers. Throws `PublisherFailure`. */
export const currentFiles = (
  files: readonly PublishedFile[],
  client: Pick<PublisherClient, 'readText'>,
): Promise<readonly CurrentFile[]> =>
  Promise.all(
    files.map(async (file) => {
      if (file.find === 'url') return { option: file.option, url: file.url, name: nameOf(new URL(file.url)) };
      const newest = newestLinked(await client.readText(file.url), file);
      if (newest) return newest;
      throw new PublisherFailure(
        `${file.url} links to no file such as ${file.name}2026Q4AUG18.zip. The publisher may have changed its names: download the file from its site and import it with \`content import\`.`,
      );
    }),
  );
