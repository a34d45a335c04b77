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
const servicesIn = async (
  directory: string,
  client: Client,
): Promise<readonly { readonly name: string; readonly url: string }[]> => {
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
const queryOf = async (service: string, fields: readonly string[], client: Client): Promise<string> => {
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
 * Uses a tokenizer without a tree, so the time is linear in the size of the page, however deeply its tags are nested.
 */
export const linksOf = (html: string, base: string): readonly URL[] => {
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

export type CurrentFile = {
  readonly option: PublishedFile['option'];
  /** The publisher's URL of the file. */
  readonly url: string;
  /** The last segment of the URL as a safe local name. It contains the quarter if the publisher's names do. */
  readonly name: string;
};

type Index = Extract<PublishedFile, { readonly find: 'index' }>;

/** Returns the newest file that an index page links to; `null` if it links to none. */
const newestLinked = (html: string, { option, url, name }: Index): CurrentFile | null => {
  let newest: (CurrentFile & { readonly order: string }) | null = null;
  for (const link of linksOf(html, url)) {
    const found = nameInUrl(link);
    const [, stamp] = /^(.*)\.(?:ZIP|CSV|TXT)$/.exec(found?.toUpperCase() ?? '') ?? [];
    if (found === null || stamp === undefined || !stamp.startsWith(name)) continue;
    const publication = publicationIn(stamp.slice(name.length));
    if (publication === null) continue;
    const order = `${publication.quarter} ${publication.posted}`;
    if (newest && order <= newest.order) continue;
    newest = { option, url: link.href, name: found, order };
  }
  return newest && { option, url: newest.url, name: newest.name };
};

type Named = { readonly name: string; readonly url: string };
type Dated = Extract<PublishedFile, { readonly pattern: string }>;

const isWithin = (name: string, { start, word, end }: NonNullable<Dated['within']>): boolean =>
  name.startsWith(start) && name.includes(word, start.length) && name.endsWith(end);

/**
 * Returns the file with the latest day in its name up to today: a publisher can post next month's file early. Among
 * names with the same day, a suffix marks a revision (`…Jan-June2026_Apr26.xlsx`).
 */
const latestOf = (named: readonly Named[], { pattern, within }: Dated, today: string): Named | null => {
  let latest: (Named & { readonly order: string }) | null = null;
  for (const one of named) {
    if (within && !isWithin(one.name.toLowerCase(), within)) continue;
    const day = dayIn(one.name, pattern);
    const order = `${day} ${one.name}`;
    if (day === null || day > today || (latest && order <= latest.order)) continue;
    latest = { ...one, order };
  }
  return latest && { name: latest.name, url: latest.url };
};

const noneOf = (url: string, { example }: { readonly example: string }, today: string): PublisherFailure =>
  new PublisherFailure(
    `${url} has no link to a file such as ${example} with a day up to ${today}. The publisher may have renamed its files: download the file from its site and import it with \`content import\`.`,
  );

type Client = Pick<PublisherClient, 'readText'>;

const currentDated = async (
  file: Extract<PublishedFile, { readonly find: 'dated' }>,
  client: Client,
  today: string,
): Promise<CurrentFile> => {
  const url = file.url.replace('{year}', today.slice(0, 4));
  const links = linksOf(await client.readText(url), url).flatMap((link) => {
    const name = nameInUrl(link);
    return name === null ? [] : [{ name, url: link.href }];
  });
  const latest = latestOf(links, file, today);
  if (latest) return { option: file.option, ...latest };
  throw noneOf(url, file, today);
};

const currentService = async (
  file: Extract<PublishedFile, { readonly find: 'service' }>,
  client: Client,
  today: string,
): Promise<CurrentFile> => {
  const latest = latestOf(await servicesIn(file.url, client), file, today);
  if (!latest) throw noneOf(file.url, file, today);
  return {
    option: file.option,
    url: await queryOf(latest.url, file.fields, client),
    name: localName(`${latest.name}.json`),
  };
};

/** Finds the current version of each of a publisher's files. Throws `PublisherFailure`. */
export const currentFiles = (files: readonly PublishedFile[], client: Client): Promise<readonly CurrentFile[]> => {
  const today = toDay(now());
  return Promise.all(
    files.map(async (file) => {
      if (file.find === 'url')
        return { option: file.option, url: file.url, name: localName(nameInUrl(new URL(file.url)) ?? file.option) };
      if (file.find === 'dated') return currentDated(file, client, today);
      if (file.find === 'service') return currentService(file, client, today);
      const newest = newestLinked(await client.readText(file.url), file);
      if (newest) return newest;
      throw new PublisherFailure(
        `${file.url} has no link to a file such as ${file.name}2026Q4AUG18.zip. The publisher may have renamed its files: download the file from its site and import it with \`content import\`.`,
      );
    }),
  );
};
