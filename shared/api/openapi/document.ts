import { createDocument, type oas31, type ZodOpenApiObject } from 'zod-openapi';
import { assert } from '../../base/assert.ts';
import { type DocumentedEndpoint, tags } from '../endpoint.ts';
import { requestHeaders } from './headers.ts';
import { introduction } from './introduction.ts';
import { pathItems } from './path-items.ts';
import { echoSuffix, refined, simplified, withNamedEnums } from './refine.ts';
import { headerComponents, responseComponents } from './responses.ts';

const frame: Omit<ZodOpenApiObject, 'paths'> = {
  openapi: '3.1.0',
  info: {
    title: 'Levy',
    version: '0.1.0',
    summary: 'Sales tax calculation and a tax transaction ledger',
    description: introduction,
    contact: { name: 'The operator of this Levy service' },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  },
  servers: [
    {
      url: 'http://127.0.0.1:{port}',
      description: 'The service on this machine: npm start',
      variables: { port: { default: '3000', description: 'PORT' } },
    },
    {
      url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
      description: 'The service in your own AWS account: npm run deploy prints the address',
      variables: { api: { default: 'api' }, region: { default: 'us-east-1' } },
    },
  ],
  security: [{ apiKey: [] }, { bearer: [] }],
  tags: [...tags],
};

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The standard way. Keys start with `levy_`, belong to an account, and carry scopes and an expiry.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token from the configured OIDC issuer. The claim `levy_account` names the account, unless another claim is configured.',
  },
} as const;

type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

// zod-openapi repeats the description of a parameter in its schema.
const withText = (parameter: Parameter): Parameter => {
  if ('$ref' in parameter || parameter.in === 'header') return parameter;
  const { name, in: place, description, schema, ...rest } = parameter;
  assert(
    description !== undefined && description !== '',
    `The parameter ${name} has no description: see shared/base/described.ts.`,
  );
  const { description: _, ...type } = { ...(schema as oas31.SchemaObject | undefined) };
  return { name, in: place, description, ...rest, schema: type };
};

const withTexts = (paths: oas31.PathsObject): oas31.PathsObject => {
  for (const item of Object.values(paths))
    for (const operation of Object.values(item) as oas31.OperationObject[])
      operation.parameters = (operation.parameters ?? []).map(withText);
  return paths;
};

/** Generate the OpenAPI document from the endpoints and their schemas. The same endpoints give the same document. */
const openApiDocument = async (endpoints: readonly DocumentedEndpoint[]): Promise<oas31.OpenAPIObject> => {
  const made = createDocument(
    {
      ...frame,
      paths: await pathItems(endpoints),
      components: {
        securitySchemes,
        parameters: requestHeaders,
        headers: headerComponents(),
        responses: responseComponents(),
      },
    },
    { outputIdSuffix: echoSuffix },
  ) as oas31.OpenAPIObject;
  const { schemas = {}, ...components } = made.components ?? {};
  return withNamedEnums({
    ...made,
    paths: withTexts(simplified(made.paths ?? {})),
    components: { schemas: refined(schemas as Record<string, oas31.SchemaObject>), ...components },
  });
};

/** The document as it is served. */
export const openApiText = async (endpoints: readonly DocumentedEndpoint[]): Promise<string> =>
  `${JSON.stringify(await openApiDocument(endpoints), null, 2)}\n`;
