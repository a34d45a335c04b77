import { Tokenizer } from 'htmlparser2';
import * as z from 'zod/mini';
import { toDay } from '../../base/calendar.ts';
import { parseJson } from '../../base/json.ts';
import { now } from '../../config/clock.ts';
import { dayIn, localName, nameInUrl, publicationIn } from './file-names.ts';
import { type PublisherClient, PublisherFailure } from './publisher-client.ts';
import type { PublishedFile } from './publishers.ts';

// Finds feature services through the REST interface of ArcGIS (developers.arcgis.com/rest/services-reference).

const Directory = z.object({ services: z.array(z.object({ name: z.string(), type: z.string() })) });
const Service = z.object({ layers: z.array(z.object({ id: z.number(), name: z.string() })) });

/** Reads the description of a directory or service. Errors also have status 200. */
const describe = async <Shape extends z.ZodMiniType>(shape: Shape, url: string, client: Client) => {
  const { data } = shape.safeParse(parseJson(await client.readText(`${url}?f=json`)));
  if (data !== undefined) return data;
  throw new PublisherFailure(`${url} does not list ArcGIS services. Try again later, or check the publisher's site.`);
};

/** Returns the feature services of a directory, with their URLs. Throws `PublisherFailure`. */
const servicesIn = async (directory: string, client: Client): Promise<readonly Named[]> => {
  const { services } = await describe(Directory, directory, client);
  return (
    services
      // A name with other characters contains a folder, or would change the URL.
      .filter(({ name, type }) => type === 'FeatureServer' && /^\w{1,128}$/.test(name))
      .map(({ name }) => ({ name, url: `${directory}/${name}/FeatureServer` }))
  );
};

/**
 * Returns the URL of a query for fields of all features of a service: of its only layer, or of the only layer named
 * after the gross receipts tax. Throws `PublisherFailure` if it is unclear which layer has the rates.
 */
const readQuery = async (service: string, fields: readonly string[], client: Client): Promise<string> => {
  const { layers } = await describe(Service, service, client);
  const ofTax = layers.filter(({ name }) => /gross.?receipts|grt/i.test(name));
  const [layer, ...others] = layers.length === 1 ? layers : ofTax;
  if (!layer || others.length > 0)
    throw new PublisherFailure(
      `${service} has ${layers.length} layers, and it is unclear which one has the rates. Query the layer at its site and import the response with \`content import\`.`,
    );
  const query = { where: '1=1', outFields: fields.join(), returnGeometry: 'false', f: 'json' };
  return `${service}/${layer.id}/query?${new URLSearchParams(query)}`;
};

const ignore = (): void => {};

/**
 * Returns the URLs of all links in an HTML page, absolute and https; other links are left out.
 *
 * Uses a tokenizer without a tree, so the time is linear in the size of the page, regardless of how deeply its tags are
 * nested.
 */
export const listLinks = (html: string, base: string): readonly URL[] => {
  const links: URL[] = [];
  let [tag, attribute, value]: [string, string, string | null] = ['', '', null];
  const end = () => {
    if (value === null) return;
    const link = URL.parse(value, base);
    // Every publisher serves https, but some of their pages link to http.
    if (link?.protocol === 'http:') link.protocol = 'https:';
    if (link?.protocol === 'https:') links.push(link);
    value = null;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, stop) => {
        tag = stop - start === 1 ? html.slice(start, stop).toLowerCase() : '';
        value = null;
      },
      onattribname: (start, stop) => {
        attribute = tag === 'a' && stop - start === 4 ? html.slice(start, stop).toLowerCase() : '';
      },
      onattribdata: (start, stop) => {
        if (attribute === 'href') value = (value ?? '') + html.slice(start, stop);
      },
      onattribentity: (point) => {
        if (attribute === 'href') value = (value ?? '') + String.fromCodePoint(point);
      },
      onattribend: () => {
        attribute = '';
      },
      onopentagend: end,
      onselfclosingtag: end,
      onclosetag: ignore,
      ontext: ignore,
      ontextentity: ignore,
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return links;
};

// Finds the current files of a publisher.

/** A file's URL and its safe local name, which contains the quarter if the publisher's names contain it. */
type Named = { readonly name: string; readonly url: string };
type Dated = Extract<PublishedFile, { readonly pattern: string }>;

/** Returns the files that a page links to. */
const linkedFiles = (html: string, url: string): readonly Named[] =>
  listLinks(html, url).flatMap((link) => {
    const name = nameInUrl(link);
    return name === null ? [] : [{ name, url: link.href }];
  });

/** Returns the file whose name has the highest order. Skips names without an order (`null`). */
const findNewest = (named: readonly Named[], getOrder: (name: string) => string | null): Named | null => {
  let [newest, highest]: [Named | null, string] = [null, ''];
  for (const one of named) {
    const order = getOrder(one.name) ?? '';
    if (order > highest) [newest, highest] = [one, order];
  }
  return newest;
};

/** Orders the files of an index by quarter and day of publication. */
const publicationOrder =
  ({ name: start }: Extract<PublishedFile, { readonly find: 'index' }>) =>
  (name: string): string | null => {
    const isPublished = name.toUpperCase().startsWith(start) && /^\w+\.(?:zip|csv|txt)$/i.test(name);
    const publication = isPublished ? publicationIn(name.slice(start.length)) : null;
    return publication && `${publication.quarter} ${publication.posted}`;
  };

const isWithin = (name: string, { start, word, end }: NonNullable<Dated['within']>): boolean =>
  name.startsWith(start) && name.includes(word, start.length) && name.endsWith(end);

/**
 * Orders files by the day in their names, up to today: a publisher can post next month's file early. Among names with
 * the same day, a suffix marks a revision (`…Jan-June2026_Apr26.xlsx`).
 */
const dayOrder =
  ({ pattern, within }: Dated, today: string) =>
  (name: string): string | null => {
    if (within && !isWithin(name.toLowerCase(), within)) return null;
    const day = dayIn(name, pattern);
    return day === null || day > today ? null : `${day} ${name}`;
  };

type Client = Pick<PublisherClient, 'readText'>;

const findCurrent = async (file: PublishedFile, client: Client, today: string): Promise<Named> => {
  if (file.find === 'url') return { url: file.url, name: localName(nameInUrl(new URL(file.url)) ?? file.option) };
  const url = file.url.replace('{year}', today.slice(0, 4));
  const named = file.find === 'service' ? await servicesIn(url, client) : linkedFiles(await client.readText(url), url);
  const newest = findNewest(named, file.find === 'index' ? publicationOrder(file) : dayOrder(file, today));
  if (newest && file.find === 'service')
    return { url: await readQuery(newest.url, file.fields, client), name: localName(`${newest.name}.json`) };
  if (newest) return newest;
  const example = file.find === 'index' ? `${file.name}2026Q4AUG18.zip` : `${file.example} with a day up to ${today}`;
  throw new PublisherFailure(
    `${url} has no link to a file such as ${example}. The publisher may have renamed its files: download the file from its site and import it with \`content import\`.`,
  );
};

/** Finds the current version of each of a publisher's files. Throws `PublisherFailure`. */
export const currentFiles = (files: readonly PublishedFile[], client: Client) => {
  const today = toDay(now());
  return Promise.all(
    files.map(async (file) => {
      const { name, url } = await findCurrent(file, client, today);
      return { option: file.option, url, name };
    }),
  );
};
export type CurrentFile = Awaited<ReturnType<typeof currentFiles>>[number];
