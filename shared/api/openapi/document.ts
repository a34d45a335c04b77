import {
  createDocument,
  type oas31,
  type ZodObjectInput,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { defaults } from '../../accounts/account.ts';
import { assert } from '../../base/assert.ts';
import { type DocumentedEndpoint, operationId, tags } from '../endpoint.ts';
import { type RequestHeader, requestHeaders } from './headers.ts';
import { echoSuffix, refined, simplified, withNamedEnums } from './refine.ts';
import { errorResponses, headerComponents, responseComponents, successHeaders } from './responses.ts';
import { exampleCustomer, exampleFilingId, exampleId } from './sample-requests.ts';
import * as samples from './samples.ts';

export const introduction = `Levy calculates sales tax and keeps a ledger of tax transactions.

- **Calculate.** \`POST /calculations\` returns the tax on an order and stores nothing.
- **Look up.** \`GET /rates\` returns the rates of an address, without an order.
- **Record.** \`POST /transactions\` records a sale or a credit. A finalized transaction creates a tax liability.
- **File.** \`POST /filings\` closes a state's tax period. Late sales and credits count in the next period.
- **Audit.** \`explain: true\` returns each step of a calculation with its rule and citation. \`POST
  /transactions/{id}/replay\` recalculates a recorded transaction. \`GET /coverage\` lists what the tax content covers, and how old it is.
- **Classify.** \`GET /product-tax-codes\` finds the code of a product by its words or by its code of Stripe, TaxJar or
  Avalara, and says how a state taxes it. \`GET /product-attributes\` lists the facts about a product that can change how it is taxed.

## Workflows

1. **Draft invoice.** Create a transaction with \`status: draft\`. Create the invoice with its \`tax_amount\`. Then send
   \`POST /transactions/{id}\` with \`status: finalized\` and the id of the invoice as \`reference_id\`, within ${defaults.draftTtlHours} hours.
2. **Estimate.** Send \`POST /calculations\`. After the sale, send \`POST /transactions\` with all line items, the
   collected tax and \`status: finalized\`.
3. **Full refund.** Send \`POST /transactions\` with \`type: credit\`, \`parent_transaction_id\`, \`status: finalized\` and
   \`tax_date\`, without line items.
4. **Partial refund.** Send the same request with the refunded line items. \`POST /calculations\` with the same body
   returns the tax of the credit in advance.
5. **Return.** \`POST /filings\` with the state, the \`period_end\` and \`dry_run: true\` returns what is owed. Without
   \`dry_run\`, it closes the period. \`GET /filings/{id}\` returns the totals, as CSV with \`Accept: text/csv\`. After you
   have sent the return, send \`POST /filings/{id}\` with \`status: filed\` and the \`confirmation_number\`.

## Conventions

- Amounts, quantities and rates are decimal **strings**. Amounts on a credit are positive.
- Timestamps of responses are ISO 8601 in UTC, but \`tax_date\` is in the account's time zone, whose day is the tax day of an instant. Send
  a date, or an instant with \`Z\` or an offset.
- Responses have every documented field; empty fields are \`null\`. Fields of the request are returned as sent.
- Levy ignores unknown body fields and names them in \`warnings\`. \`Prefer: handling=strict\` rejects them. Unknown query
  parameters are always rejected.
- Every error has the same envelope: \`code\` for programs, \`detail\` with what to send instead, and \`source\` with the
  location. All errors about fields are returned together. Levy checks in this order: path and method, 401, 403, 429,
  the body (415, 413, 400), the version, the fields, 404, 412, 409.
- Send an \`Idempotency-Key\` with every POST that writes, so that a retry never writes twice.
- By default, an account may send ${defaults.rateLimit.toLocaleString('en-US')} requests per 10 s. A 429 response says when to retry.
`;

const parameterRef = (name: RequestHeader) => ({ $ref: `#/components/parameters/${name}` as const });

const resources: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  customers: {
    description: 'The id of the customer in your system, percent-encoded.',
    example: exampleCustomer.id,
  },
  filings: { description: 'The id of the filing.', example: exampleFilingId },
  transactions: { description: 'The id of the transaction.', example: exampleId },
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const, minLength: 1 },
    description: '',
    ...resources[path.split('/')[1] ?? ''],
  }));

const requestBody = ({ body, requests = {} }: DocumentedEndpoint) =>
  body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: body.schema, examples: { ...requests } } },
    },
  };

const buildContent = async ({ schema, type, example, csvExample, returnExample }: DocumentedEndpoint['response']) => ({
  [type ?? 'application/json']: { schema, example: await example(samples) },
  ...(csvExample && { 'text/csv': { schema: { type: 'string' as const }, example: csvExample(samples) } }),
  ...(returnExample && { 'application/xml': { schema: { type: 'string' as const }, example: returnExample(samples) } }),
});

const buildSuccesses = async (endpoint: DocumentedEndpoint) => {
  const successes: ZodOpenApiResponsesObject = {};
  for (const response of [endpoint.response, ...(endpoint.otherResponses ?? [])])
    successes[`${response.status ?? 200}`] = {
      description: response.description,
      headers: successHeaders(
        endpoint,
        [...(response.headers ?? []), ...(endpoint.notModified ? (['ETag'] as const) : [])],
        [
          ...(response.optionalHeaders ?? []),
          ...(endpoint.scope === 'write' ? (['Idempotent-Replayed'] as const) : []),
          ...(endpoint.body ? (['Preference-Applied'] as const) : []),
        ],
      ),
      content: await buildContent(response),
    };
  return successes;
};

const buildResponses = async (endpoint: DocumentedEndpoint) => ({
  ...(await buildSuccesses(endpoint)),
  ...(endpoint.notModified && {
    304: { description: endpoint.notModified, headers: successHeaders(endpoint, ['ETag']) },
  }),
  ...errorResponses(endpoint),
});

const headerParameters = ({
  scope,
  body,
  notModified,
  requestHeaders = [],
}: DocumentedEndpoint): readonly RequestHeader[] => [
  'ServiceVersion',
  ...(scope === 'write' ? (['IdempotencyKey'] as const) : []),
  ...requestHeaders,
  ...(body ? (['Prefer'] as const) : []),
  ...(notModified ? (['IfNoneMatch'] as const) : []),
];

const operationObject = async (endpoint: DocumentedEndpoint): Promise<ZodOpenApiOperationObject> => {
  const { name, path, scope, tag, summary, description, query } = endpoint;
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    description: scope === null ? description : `${description}\n\nThe credential needs the scope \`${scope}\`.`,
    ...(scope === null && { security: [] }),
    parameters: [...pathParameters(path), ...headerParameters(endpoint).map(parameterRef)],
    ...(query && { requestParams: { query: query as ZodObjectInput } }),
    ...requestBody(endpoint),
    responses: await buildResponses(endpoint),
  };
};

const pathItems = async (endpoints: readonly DocumentedEndpoint[]): Promise<ZodOpenApiPathsObject> => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: await operationObject(endpoint),
    };
  return paths;
};

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

/** Generates the OpenAPI document from the endpoints and their schemas. The output is deterministic. */
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
