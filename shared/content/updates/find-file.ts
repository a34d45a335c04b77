/** Finds the current files of a publisher. */
import { Parser } from 'htmlparser2';
import * as z from 'zod/mini';
import { dayOf } from '../../calendar.ts';
import { now } from '../../config/clock.ts';
import { dayIn, publicationIn } from './file-names.ts';
import { type PublisherClient, PublisherFailure } from './publisher-client.ts';
import type { PublishedFile } from './publishers.ts';

export type CurrentFile = {
  readonly option: PublishedFile['option'];
  /** The publisher's own address of the file. */
  readonly url: string;
  /** The last segment of the address. It contains the quarter where the publisher names files so. */
  readonly name: string;
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

type Index = Extract<PublishedFile, { readonly find: 'index' }>;

/** The newest file that an index page links to; `null` if the page names none. */
const newestLinked = (html: string, { option, url, name }: Index): CurrentFile | null => {
  let newest: (CurrentFile & { readonly order: string }) | null = null;
  for (const link of linksOf(html, url)) {
    const found = nameOf(link).toUpperCase();
    const [, stamp] = /^(.*)\.(?:ZIP|CSV|TXT)$/.exec(found) ?? [];
    if (stamp === undefined || !stamp.startsWith(name)) continue;
    const publication = publicationIn(stamp.slice(name.length));
    if (publication === null) continue;
    const order = `${publication.quarter} ${publication.posted}`;
    if (newest && order <= newest.order) continue;
    newest = { option, url: link.href, name: nameOf(link), order };
  }
  return newest && { option, url: newest.url, name: newest.name };
};

type Named = { readonly name: string; readonly url: string };

/** The one with the latest day in its name up to today: a publisher may post next month's file early. */
const latestOf = (named: readonly Named[], pattern: string, today: string): Named | null => {
  let latest: (Named & { readonly day: string }) | null = null;
  for (const one of named) {
    const day = dayIn(one.name, pattern);
    if (day === null || day > today || (latest && day <= latest.day)) continue;
    latest = { ...one, day };
  }
  return latest && { name: latest.name, url: latest.url };
};

const noneOf = (url: string, { example }: { readonly example: string }, today: string): PublisherFailure =>
  new PublisherFailure(
    `${url} links to no file such as ${example} of a day up to ${today}. The publisher may have changed its names: download the file from its site and import it with \`content import\`.`,
  );

type Client = Pick<PublisherClient, 'readText'>;

const currentDated = async (
  file: Extract<PublishedFile, { readonly find: 'dated' }>,
  client: Client,
  today: string,
): Promise<CurrentFile> => {
  const url = file.url.replace('{year}', today.slice(0, 4));
  const links = linksOf(await client.readText(url), url).map((link) => ({ name: nameOf(link), url: link.href }));
  const latest = latestOf(links, file.pattern, today);
  if (latest) return { option: file.option, ...latest };
  throw noneOf(url, file, today);
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Read a description of an ArcGIS directory or service, as its REST interface returns it with `f=json`. */
const describe = async <Shape extends z.ZodMiniType>(shape: Shape, url: string, client: Client) => {
  const { data } = shape.safeParse(jsonOf(await client.readText(`${url}?f=json`)));
  if (data !== undefined) return data;
  throw new PublisherFailure(`${url} describes no ArcGIS services. Try again later, or see the site of its publisher.`);
};

const Directory = z.object({ services: z.array(z.object({ name: z.string(), type: z.string() })) });
const Service = z.object({ layers: z.array(z.object({ id: z.number(), name: z.string() })) });

const currentService = async (
  file: Extract<PublishedFile, { readonly find: 'service' }>,
  client: Client,
  today: string,
): Promise<CurrentFile> => {
  const { services } = await describe(Directory, file.url, client);
  const named = services
    .filter(({ type }) => type === 'FeatureServer')
    .map(({ name }) => ({ name, url: `${file.url}/${name}/FeatureServer` }));
  const latest = latestOf(named, file.pattern, today);
  if (!latest) throw noneOf(file.url, file, today);
  const { layers } = await describe(Service, latest.url, client);
  const ofTax = layers.filter(({ name }) => /gross.?receipts|grt/i.test(name));
  const [layer, ...others] = layers.length === 1 ? layers : ofTax;
  if (!layer || others.length > 0)
    throw new PublisherFailure(
      `${latest.url} has ${layers.length} layers, and which of them has the rates is unknown. Query the layer at its site and import the answer with \`content import\`.`,
    );
  const query = { where: '1=1', outFields: file.fields.join(), returnGeometry: 'false', f: 'json' };
  const url = `${latest.url}/${layer.id}/query?${new URLSearchParams(query)}`;
  return { option: file.option, url, name: `${latest.name}.json` };
};

/** Find the current file of each kind that a publisher offers. Throws `PublisherFailure`. */
export const currentFiles = (
  files: readonly PublishedFile[],
  client: Client,
  today = dayOf(now()),
): Promise<readonly CurrentFile[]> =>
  Promise.all(
    files.map(async (file) => {
      if (file.find === 'url') return { option: file.option, url: file.url, name: nameOf(new URL(file.url)) };
      if (file.find === 'dated') return currentDated(file, client, today);
      if (file.find === 'service') return currentService(file, client, today);
      const newest = newestLinked(await client.readText(file.url), file);
      if (newest) return newest;
      throw new PublisherFailure(
        `${file.url} links to no file such as ${file.name}2026Q4AUG18.zip. The publisher may have changed its names: download the file from its site and import it with \`content import\`.`,
      );
    }),
  );
