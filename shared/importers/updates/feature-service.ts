/** Finds feature services by the REST interface of ArcGIS (developers.arcgis.com/rest/services-reference). */
import * as z from 'zod/mini';
import { parseJson } from '../../base/json.ts';
import { type PublisherClient, PublisherFailure } from './publisher-client.ts';

type Client = Pick<PublisherClient, 'readText'>;

const Directory = z.object({ services: z.array(z.object({ name: z.string(), type: z.string() })) });
const Service = z.object({ layers: z.array(z.object({ id: z.number(), name: z.string() })) });

/** Read the description of a directory or service. Errors have status 200 as well. */
const describe = async <Shape extends z.ZodMiniType>(shape: Shape, url: string, client: Client) => {
  const { data } = shape.safeParse(parseJson(await client.readText(`${url}?f=json`)));
  if (data !== undefined) return data;
  throw new PublisherFailure(`${url} describes no ArcGIS services. Try again later, or see the site of its publisher.`);
};

/** The feature services of a directory, with their addresses. Throws `PublisherFailure`. */
export const servicesIn = async (
  directory: string,
  client: Client,
): Promise<readonly { readonly name: string; readonly url: string }[]> => {
  const { services } = await describe(Directory, directory, client);
  return (
    services
      // A name with other characters is in a folder, or would lead to another address.
      .filter(({ name, type }) => type === 'FeatureServer' && /^\w{1,128}$/.test(name))
      .map(({ name }) => ({ name, url: `${directory}/${name}/FeatureServer` }))
  );
};

/**
 * The address of a query for fields of all features of a service: of its only layer, or of the only one that is named after
 * the gross receipts tax. Throws `PublisherFailure` if it is not clear which layer has the rates.
 */
export const queryOf = async (service: string, fields: readonly string[], client: Client): Promise<string> => {
  const { layers } = await describe(Service, service, client);
  const ofTax = layers.filter(({ name }) => /gross.?receipts|grt/i.test(name));
  const [layer, ...others] = layers.length === 1 ? layers : ofTax;
  if (!layer || others.length > 0)
    throw new PublisherFailure(
      `${service} has ${layers.length} layers, and which of them has the rates is unknown. Query the layer at its site and import the answer with \`content import\`.`,
    );
  const query = { where: '1=1', outFields: fields.join(), returnGeometry: 'false', f: 'json' };
  return `${service}/${layer.id}/query?${new URLSearchParams(query)}`;
};
