import { expect, it } from 'vitest';
import { anonymous, newCaller } from '../support/api.ts';
import { sale } from '../support/sales.ts';

const unknownParameters = Array.from({ length: 400 }, (_, at) => `a${at}=1`).join('&');
const unknownFields = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`a${at}`, 1]));

it.each([
  { title: 'an operation', path: '/product-attributes', isKnown: true },
  { title: 'the documentation, for a stranger', path: '/docs', isKnown: false },
  { title: 'the OpenAPI document, for a stranger', path: '/openapi.json', isKnown: false },
])('400 unknown parameters are the first 20 errors: $title', async ({ path, isKnown }) => {
  const { call } = isKnown ? await newCaller() : anonymous;
  const { status, body, text } = await call('GET', `${path}?${unknownParameters}`);
  expect(status).toBe(422);
  expect(body.errors.map(({ source }) => source.parameter)).toEqual(Array.from({ length: 20 }, (_, at) => `a${at}`));
  expect(text.length).toBeLessThan(8000);
});

it('returns at most 20 errors of the query and the body, query first', async () => {
  const { call } = await newCaller();
  const body = sale({ ...unknownFields, quantity: 1 });
  const answer = await call('POST', '/calculations?a=1&b=2', { body, headers: { Prefer: 'handling=strict' } });
  const sources = answer.body.errors.map(({ source }) => source.parameter ?? source.pointer);
  expect(sources).toHaveLength(20);
  expect(sources.slice(0, 3)).toEqual(['a', 'b', '/a0']);
});
