import type { JsonObject } from '../../shared/base/json.ts';
import type { Shapes, Version } from '../../shared/http/versions/shape.ts';

/** A body with one field under another name, in its place. */
export const renamed = (body: JsonObject, from: string, to: string): JsonObject =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name === from ? to : name, value]));

const field = (older: string, newer: string): Shapes => ({
  request: (body) => renamed(body, older, newer),
  response: (body) => renamed(body, newer, older),
  pointer: (pointer) => (pointer === `/${newer}` ? `/${older}` : pointer),
});

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const inLines = (body: JsonObject, from: string, to: string): JsonObject => {
  const lines = body['line_items'];
  if (!Array.isArray(lines)) return body;
  return { ...body, line_items: lines.map((line) => (isObject(line) ? renamed(line, from, to) : line)) };
};

const price: Shapes = {
  request: (body) => inLines(body, 'price', 'unit_price'),
  response: (body) => inLines(body, 'unit_price', 'price'),
  pointer: (pointer) => pointer.replace(/^(\/line_items\/\d+)\/unit_price$/, '$1/price'),
};

const ofAll = (shapes: Shapes) => ({
  'create-transaction': shapes,
  'update-transaction': shapes,
  'get-transaction': shapes,
});

const inList = (from: string, to: string): Shapes => ({
  response: (list) => ({
    ...list,
    data: (list['data'] as JsonObject[]).map((item) => renamed(item, from, to)),
  }),
});

/**
 * Versions for tests only. The code has the shape of `cedar`; a field was renamed twice, so that the
 * order of the changes matters, and one within the lines once.
 */
export const testVersions: readonly Version[] = [
  { name: 'aspen.2026-10-01', changes: [] },
  {
    name: 'birch.2027-01-01',
    changes: [
      {
        name: 'invoice_number of a transaction is called reference',
        of: {
          ...ofAll(field('invoice_number', 'reference')),
          'list-transactions': inList('reference', 'invoice_number'),
        },
      },
    ],
  },
  {
    name: 'cedar.2027-06-01',
    changes: [
      {
        name: 'reference of a transaction is called reference_id',
        of: { ...ofAll(field('reference', 'reference_id')), 'list-transactions': inList('reference_id', 'reference') },
      },
      {
        name: 'price of a line is called unit_price',
        of: { ...ofAll(price), 'create-calculation': price },
      },
      {
        name: 'more of a list of attributes is called has_more',
        of: { 'list-product-attributes': { response: (list) => renamed(list, 'has_more', 'more') } },
      },
    ],
  },
];
