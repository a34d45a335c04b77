/** The OpenAPI document of TaxJar's interface. A test sends each of its examples. */

type Schema = {
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description: string;
};

const number = (description: string): Schema => ({ type: 'number', description });
const text = (description: string) => ({ type: 'string', description });
const optional = (schema: Schema) => ({
  ...schema,
  type: [schema.type, 'null'].flat(),
  ...(schema.enum && { enum: [...schema.enum, null] }),
});
const list = (items: object, description: string) => ({ type: 'array', items, description });
const object = (
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = Object.keys(properties),
) => ({
  type: 'object',
  properties,
  required,
});

/** An amount of a request: a number, or a decimal as text. */
const sent = (description: string): Schema => ({ type: ['number', 'string'], description });

const addressOf = (side: 'from' | 'to', whose: string) => ({
  [`${side}_country`]: text(`ISO 3166 two-letter code of ${whose}.`),
  [`${side}_zip`]: text(`ZIP code of ${whose}.`),
  [`${side}_state`]: text(`Two-letter code of the state of ${whose}.`),
  [`${side}_city`]: text(`City of ${whose}.`),
  [`${side}_street`]: text(`House number and street of ${whose}.`),
});
const addresses = {
  ...addressOf('from', "the seller's place of shipment"),
  ...addressOf('to', "the buyer's address"),
};

const exemptionType = {
  type: 'string',
  enum: ['wholesale', 'government', 'other', 'non_exempt', 'marketplace'],
  description:
    'Why the order is exempt. `non_exempt` ignores the certificates of the customer; `marketplace` means that a marketplace collects the tax.',
};

const lineOf = (amount: typeof sent) => ({
  id: text('The id of the line item. Default: 1, 2 and so on.'),
  quantity: amount('The quantity, above zero.'),
  product_identifier: text("The product's id in your system."),
  product_tax_code: text('A code of `GET /v2/categories`, or a product tax code of Levy. Default: general goods.'),
  description: text('Free text.'),
  unit_price: amount('The price of a unit.'),
  discount: amount('The discount on the whole line item.'),
  sales_tax: amount('The tax of the line item. Levy distributes the tax of the order instead.'),
});
const optionals = (properties: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)]));

const shared = {
  transaction_id: text('Your id of the order or refund. Orders and refunds share one space of ids.'),
  transaction_date: text('The date of the order or refund: `2026-10-14`, `2026/10/14`, or a timestamp.'),
  provider: text('Where the order came from. Default: `api`.'),
  exemption_type: exemptionType,
  customer_id: text('The customer, whose certificates apply.'),
  ...addresses,
};
const reference = { transaction_reference_id: text('The `transaction_id` of the order.') };
const amounts = (amount: typeof sent) => ({
  amount: amount('The goods and the shipping, without tax, in dollars. At most two decimals.'),
  shipping: amount('The shipping charge.'),
  sales_tax: amount('The tax that was collected or refunded.'),
});
const required = ['transaction_id', 'transaction_date', 'to_country', 'amount', 'shipping', 'sales_tax'];

const orderRequest = (more: object, names: readonly string[]) =>
  object({ ...shared, ...more, ...amounts(sent), line_items: list(object(lineOf(sent), []), 'What was sold.') }, [
    ...required,
    ...names,
  ]);
const { customer_id: _, ...recordedFields } = shared;
const recordedOrder = (more: object) =>
  object({
    ...optionals(recordedFields),
    ...more,
    ...amounts(number),
    line_items: list(object(optionals(lineOf(number))), 'The line items.'),
  });

const levelNames = ['state', 'county', 'city'] as const;
const group = (own: object, isPart: boolean) =>
  object({
    taxable_amount: number('The taxed amount.'),
    tax_collectable: number('The tax.'),
    combined_tax_rate: number('The sum of the rates.'),
    ...Object.fromEntries(
      levelNames.flatMap((level) => [
        [`${level}_taxable_amount`, number('The taxed amount.')],
        [level === 'state' && isPart ? 'state_sales_tax_rate' : `${level}_tax_rate`, number('The rate.')],
        [isPart ? `${level}_amount` : `${level}_tax_collectable`, number('The tax.')],
      ]),
    ),
    special_tax_rate: number('The rate of special districts.'),
    [isPart ? 'special_district_amount' : 'special_district_tax_collectable']: number('The tax of special districts.'),
    ...own,
  });
const breakdown = {
  ...group({ line_items: list(group({ id: text('The id of the line item.') }, true), 'The tax of each.') }, false),
  description: 'The tax by level of jurisdiction, which adds up to `amount_to_collect`. Absent without nexus.',
};

const customer = object(
  {
    customer_id: text('Your id of the customer.'),
    exemption_type: { ...exemptionType, enum: ['wholesale', 'government', 'other', 'non_exempt'] },
    exempt_regions: list(
      object({ country: text('`US`.'), state: text('Two-letter code.') }),
      'Where the exemption is valid. Empty: in every state.',
    ),
    name: text('The name of the customer.'),
  },
  ['customer_id', 'exemption_type', 'name'],
);
const region = { country_code: text('`US`.'), region_code: text('Two-letter code.'), region: text('The name.') };
const rate = (average: boolean) =>
  object({ label: text('The name of the rate.'), rate: average ? optional(number('Unknown.')) : number('The rate.') });

const to = { to_country: 'US', to_zip: '10001', to_state: 'NY', to_city: 'New York' };
const orderExample = {
  transaction_id: 'order-1',
  transaction_date: '2026-10-14',
  ...to,
  amount: 16.5,
  shipping: 1.5,
  sales_tax: 1.46,
  line_items: [{ id: '1', quantity: 1, product_tax_code: '31000', unit_price: 15 }],
};
const refundExample = {
  transaction_id: 'refund-1',
  transaction_reference_id: 'order-1',
  transaction_date: '2026-10-20',
  ...to,
  amount: -7.5,
  shipping: 0,
  sales_tax: -0.67,
};
const customerExample = {
  customer_id: 'customer-1',
  exemption_type: 'wholesale',
  name: 'Example Wholesale',
  exempt_regions: [{ country: 'US', state: 'NY' }],
};

const content = (schema: object, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});
const refused = {
  description:
    'An error: 400 (not JSON), 401 (key), 403 (scope), 404 (unknown), 405 (method), 406 (a missing or invalid parameter), 422 (a conflict, such as an id that exists or a closed period), 429 (after `Retry-After`), 500 or 503.',
  content: content(
    object({ status: { type: 'integer' }, error: text('The status in words.'), detail: text('What to send instead.') }),
  ),
};

type Operation = {
  readonly summary: string;
  /** The name of the response's only field, and its schema. */
  readonly answer: readonly [name: string, schema: object];
  readonly status?: 200 | 201;
  readonly body?: object;
  readonly example?: unknown;
  readonly query?: Readonly<Record<string, string>>;
};
const operation = ({ summary, answer: [name, schema], status = 200, body, example, query = {} }: Operation) => ({
  summary,
  ...(body && { requestBody: { required: true, content: content(body, example) } }),
  ...(Object.keys(query).length > 0 && {
    parameters: Object.entries(query).map(([parameter, description]) => ({
      name: parameter,
      in: 'query',
      description,
      schema: { type: 'string' },
    })),
  }),
  responses: {
    [status]: { description: 'Success.', content: content(object({ [name]: schema })) },
    default: refused,
  },
});
const idAt = (example: string) => [
  { name: 'id', in: 'path', required: true, description: 'Your id.', schema: { type: 'string' }, example },
];

const ids = list({ type: 'string' }, 'The ids, newest first.');
const dates = {
  transaction_date: 'Only of this date.',
  from_transaction_date: 'Only of this date or later.',
  to_transaction_date: 'Only of this date or earlier.',
  provider: 'Only of this provider.',
};

type Resource = {
  readonly name: string;
  readonly schema: object;
  readonly request: object;
  readonly example: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly query?: Readonly<Record<string, string>>;
};
/** The two paths of a resource with create, list, show, update and delete. */
const resource = (path: string, { name, schema, request, example, id, query = {} }: Resource) => ({
  [path]: {
    get: operation({ summary: `List ${name}s`, answer: [`${name}s`, ids], query }),
    post: operation({
      summary: `Create a ${name}`.replace('a o', 'an o'),
      answer: [name, schema],
      status: 201,
      body: request,
      example,
    }),
  },
  [`${path}/{id}`]: {
    parameters: idAt(id),
    get: operation({ summary: `Show the ${name}`, answer: [name, schema] }),
    // A change of an order or refund has only the fields that change.
    put: operation({
      summary: `Change the ${name}`,
      answer: [name, schema],
      body: { ...request, required: [] },
      example,
    }),
    delete: operation({ summary: `Delete the ${name}`, answer: [name, schema] }),
  },
});

export const openApi = {
  openapi: '3.1.0',
  info: {
    title: "TaxJar's interface of Levy",
    version: '2',
    description:
      "Version 2 of TaxJar's API, served by Levy. Differences are in `shared/taxjar/README.md`. The header `Levy-Warnings` lists the codes of warnings.",
  },
  servers: [{ url: '/taxjar' }],
  security: [{ bearer: [] }],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A Levy API key. `Token token="…"` and `X-API-Key` also work.',
      },
    },
  },
  paths: {
    '/v2/taxes': {
      post: operation({
        summary: 'Calculate the tax on an order. Nothing is stored',
        body: object(
          {
            ...addresses,
            amount: sent('The goods without shipping. Required without `line_items`.'),
            shipping: sent('The shipping charge.'),
            customer_id: shared.customer_id,
            exemption_type: exemptionType,
            line_items: list(object(lineOf(sent), []), 'What is sold.'),
            nexus_addresses: list(
              object({ state: text('Two-letter code.') }),
              'Where the seller collects, in place of the registrations.',
            ),
          },
          ['to_country', 'shipping'],
        ),
        example: { ...to, shipping: 1.5, line_items: orderExample.line_items },
        answer: [
          'tax',
          object(
            {
              order_total_amount: number('The goods and the shipping.'),
              shipping: number('The shipping charge.'),
              taxable_amount: number('The taxed amount.'),
              amount_to_collect: number('The tax.'),
              rate: number('The tax divided by the taxed amount.'),
              has_nexus: { type: 'boolean', description: 'Whether the account collects in the state.' },
              freight_taxable: { type: 'boolean', description: 'Whether the shipping is taxed.' },
              tax_source: optional(text('`destination` or `origin`.')),
              exemption_type: exemptionType,
              jurisdictions: { type: 'object', description: 'The names of country, state, county and city.' },
              breakdown,
            },
            [
              ...['order_total_amount', 'shipping', 'taxable_amount', 'amount_to_collect', 'rate', 'has_nexus'],
              ...['freight_taxable', 'tax_source', 'jurisdictions'],
            ],
          ),
        ],
      }),
    },
    '/v2/rates/{id}': {
      parameters: [{ ...idAt('10001')[0], description: 'The ZIP code.' }],
      get: operation({
        summary: 'Show the rates of a place',
        query: { country: '`US`.', state: 'Two-letter code.', city: 'City.', street: 'House number and street.' },
        answer: [
          'rate',
          object({
            zip: text('The ZIP code.'),
            country: text('`US`.'),
            ...Object.fromEntries(
              ['country', 'state', 'county', 'city'].map((level) => [`${level}_rate`, text('A rate, such as `0.04`.')]),
            ),
            combined_district_rate: text('The sum of the rates of districts.'),
            combined_rate: optional(text('The sum of the rates. `null`: not known.')),
            freight_taxable: optional({
              type: 'boolean',
              description: 'Whether the shipping of taxed general goods is taxed. `null`: not known.',
            }),
          }),
        ],
      }),
    },
    '/v2/categories': {
      get: operation({
        summary: 'List product tax codes',
        answer: [
          'categories',
          list(
            object({ product_tax_code: text('The code.'), name: text('Its name.'), description: text('What it is.') }),
            "TaxJar's codes that have an equivalent of Levy.",
          ),
        ],
      }),
    },
    ...resource('/v2/transactions/orders', {
      name: 'order',
      schema: recordedOrder({}),
      request: orderRequest({}, []),
      query: dates,
      example: orderExample,
      id: orderExample.transaction_id,
    }),
    ...resource('/v2/transactions/refunds', {
      name: 'refund',
      schema: recordedOrder(optionals(reference)),
      query: dates,
      request: orderRequest(reference, Object.keys(reference)),
      example: refundExample,
      id: refundExample.transaction_id,
    }),
    ...resource('/v2/customers', {
      name: 'customer',
      schema: customer,
      request: customer,
      example: customerExample,
      id: customerExample.customer_id,
    }),
    '/v2/nexus/regions': {
      get: operation({
        summary: 'List the states where the account collects tax',
        answer: ['regions', list(object({ ...region, country: text('The name of the country.') }), 'The states.')],
      }),
    },
    '/v2/addresses/validate': {
      post: operation({
        summary: 'Check that the ZIP code exists and fits the city and state',
        body: object(
          {
            country: text('`US`.'),
            state: text('Two-letter code.'),
            zip: text('The ZIP code.'),
            city: text('City.'),
            street: text('House number and street.'),
          },
          ['state', 'zip'],
        ),
        example: { country: 'US', state: 'NY', zip: '10001', city: 'New York' },
        answer: ['addresses', list({ type: 'object' }, 'The address as sent.')],
      }),
    },
    '/v2/summary_rates': {
      get: operation({
        summary: 'List the state rates',
        answer: [
          'summary_rates',
          list(object({ ...region, minimum_rate: rate(false), average_rate: rate(true) }), 'The states.'),
        ],
      }),
    },
    '/v2/validation': {
      get: {
        summary: 'Not offered: VAT numbers',
        parameters: [{ name: 'vat', in: 'query', schema: { type: 'string' }, description: 'A VAT number.' }],
        responses: { 404: { ...refused, description: 'Always.' } },
      },
    },
    '/v2/openapi.json': {
      get: {
        summary: 'Show this document',
        responses: { 200: { description: 'Success.', content: content({ type: 'object' }) } },
      },
    },
  },
} as const;
