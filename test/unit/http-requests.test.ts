import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBody, textProblems } from '../../shared/api/body.ts';
import { preferredType } from '../../shared/api/csv-response.ts';
import { entityTag, matches } from '../../shared/api/entity-tag.ts';
import { inBodyOrder, pointerTo, unionProblems } from '../../shared/api/field-problems.ts';
import { requestContext as contextOfEvent, Refusal, type RequestContext } from '../../shared/api/request-context.ts';
import { valueAt } from '../../shared/base/json.ts';
import { requestContext } from '../support/handler-calls.ts';

type GatewayEvent = Parameters<typeof contextOfEvent>[0];

describe('JSON Pointers', () => {
  it.each([
    { path: [], pointer: '' },
    { path: ['line_items', 0, 'id'], pointer: '/line_items/0/id' },
    { path: ['a/b', 'c~d'], pointer: '/a~1b/c~0d' },
    { path: ['~1'], pointer: '/~01' },
    { path: [''], pointer: '/' },
  ])('formats the path $path as "$pointer"', ({ path, pointer }) => {
    expect(pointerTo(path)).toBe(pointer);
  });

  it('resolves own properties only', () => {
    const body = { a: [{ b: 1 }], n: null };
    expect(valueAt(body, ['a', 0, 'b'])).toBe(1);
    expect(valueAt(body, ['n'])).toBeNull();
    for (const path of [['__proto__'], ['constructor'], ['a', 'map'], ['n', 'x'], ['a', 0, 'b', 'toFixed']])
      expect(valueAt(body, path)).toBeUndefined();
  });
});

it('rejects bodies nested deeper than sixteen levels', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  expect(textProblems(nested(16))).toEqual([]);
  expect(textProblems(nested(17))).toMatchObject([
    { title: 'Nested too deeply', source: { pointer: '/a'.repeat(16) } },
  ]);
});

describe('problems in body order', () => {
  const invalid = (pointer: string) => ({
    code: 'validation_invalid_format' as const,
    title: 't',
    detail: 'd',
    source: { pointer },
  });

  it('lists a parent before its fields, and missing fields after them', () => {
    const body = { b: { y: 1, x: 2 }, a: 1 };
    const ordered = inBodyOrder(['/a', '/b/missing', '/b/x', '/b/y', '/b', '', '/missing'].map(invalid), body);
    expect(ordered.map(({ source }) => source)).toEqual(
      ['', '/b', '/b/y', '/b/x', '/b/missing', '/a', '/missing'].map((pointer) => ({ pointer })),
    );
  });

  it('lists a repeated problem once, and different problems of one field separately', () => {
    const missing = { ...invalid('/a'), code: 'validation_required_field' as const };
    expect(inBodyOrder([invalid('/a'), missing, invalid('/a')], { a: 1 })).toEqual([invalid('/a'), missing]);
  });

  it('returns the same order for any order of detection', () => {
    const body = { a: [{ x: 1, y: 2 }, { y: 3 }], b: { c: 4 }, 'd/e': 5 };
    const all = ['/a', '/a/0', '/a/0/x', '/a/0/y', '/a/1/y', '/b', '/b/c', '/d~1e'].map(invalid);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(inBodyOrder(shuffled, body)).toEqual(all);
      }),
    );
  });

  it.each([
    { value: undefined, code: 'validation_required_field', because: 'it is absent' },
    { value: null, code: 'validation_required_field', because: 'it is null' },
    { value: 5, code: 'validation_invalid_format', because: 'it is present' },
    { value: '', code: 'validation_invalid_format', because: 'it is an empty string' },
  ])('reports a field with $value as $code: $because', ({ value, code }) => {
    expect(unionProblems({ path: ['amount'], message: 'Send it.' }, { amount: value })).toMatchObject([
      { code, title: expect.stringContaining('amount'), source: { pointer: '/amount' } },
    ]);
  });
});

it.each(['txn_1', 'a$$b', '$&', "$'"])('matches the path to the route with the raw id: %s', (id) => {
  const event = { resource: '/transactions/{id}/replay', pathParameters: { id }, path: '/v1/other', headers: {} };
  const sent = { ...event, requestContext: { requestId: 'req_1' } } as unknown as GatewayEvent;
  const { path } = contextOfEvent(sent, () => 1000);
  expect(path).toBe(`/transactions/${id}/replay`);
});

describe('the raw body', () => {
  const getCode = (others: Partial<RequestContext>) => {
    try {
      readBody(requestContext(others));
      return 'read';
    } catch (error) {
      return error instanceof Refusal ? error.problems[0].code : error;
    }
  };
  const typed = (type: string) => ({ headers: new Map([['content-type', [type]]]) });
  const coded = (codings: string[]) => ({
    headers: new Map([
      ['content-type', ['application/json']],
      ['content-encoding', codings],
    ]),
  });
  const large = Buffer.from(`"${'x'.repeat(1024 * 1024 - 2)}"`);

  const [unsupported, tooLarge, malformed] = [
    'validation_unsupported_media_type',
    'validation_body_too_large',
    'validation_malformed_json',
  ];

  it.each<[code: string, request: Partial<RequestContext>]>([
    ['read', {}],
    ['read', typed('Application/JSON; charset=utf-8')],
    ['read', typed('application/json;v=1 ; Charset = "UTF8"')],
    [unsupported, typed('application/json; charset=utf-16')],
    [unsupported, typed('application/json; charset=utf-8; charset=utf-7')],
    [unsupported, typed('application/json;charset="utf-8')],
    [unsupported, typed('application/json;charset=')],
    [unsupported, typed('application/jsonp')],
    [unsupported, { headers: new Map() }],
    ['read', coded(['identity', ' , Identity ', ''])],
    [unsupported, coded(['gzip'])],
    [unsupported, coded(['identity, br'])],
    [unsupported, coded(['', 'x'])],
    ['read', { rawBody: large }],
    [tooLarge, { rawBody: Buffer.concat([large, Buffer.from(' ')]) }],
    [malformed, { rawBody: Buffer.alloc(0) }],
    [malformed, { rawBody: Buffer.from('{"a":') }],
    // The content type is checked before the size, and the size before the syntax.
    [unsupported, { ...typed('text/plain'), rawBody: Buffer.alloc(2_000_000) }],
    [tooLarge, { rawBody: Buffer.alloc(2_000_000) }],
  ])('%s: case %#', (code, request) => {
    expect(getCode(request)).toBe(code);
  });
});

const json = 'application/json';
const csv = 'text/csv';
const preferred = (...accept: readonly string[]) => preferredType(accept, [json, csv]);

describe('the negotiated media type', () => {
  it.each<[string, string]>([
    ['text/csv', csv],
    ['TEXT/CSV', csv],
    ['text/*', csv],
    ['text/csv; charset=utf-8', csv],
    ['text/csv;q=1.000', csv],
    ['application/json;q=0.9, text/csv', csv],
    ['application/json;q=0.8, text/csv;q=0.801', csv],
    // The more specific range takes precedence, regardless of its weight and position.
    ['*/*;q=1, application/json;q=0.1', csv],
    ['text/*;q=0.9, text/csv;q=0.2, application/json;q=0.5', json],
    ['*/*;q=0.5, application/json;q=0', csv],
    // With equal weights, a type requested by name comes first, then the order of the offered types.
    ['text/csv, */*', csv],
    ['text/html, text/csv, application/xhtml+xml, */*;q=0.8', csv],
    ['text/csv, application/json', json],
    ['*/*', json],
    ['text/csv;q=0.5, application/json;q=0.5', json],
    ['application/*, text/*', json],
    // If no type is acceptable, the first type is used.
    ['text/csv;q=0', json],
    ['text/csv;q=0.000, */*', json],
    ['text/html', json],
    ['application/xml, image/*', json],
    ['', json],
    // A malformed range is ignored.
    ['text/csv;q=2', json],
    ['text/csv;q=0.1234', json],
    ['text/csv;q=-1', json],
    ['text/csv;q=', json],
    ['csv', json],
    ['text/csvx', json],
    ['text / csv', json],
    [', ,;q=1,', json],
  ])('selects $1 for "$0"', (accept, expected) => {
    expect(preferred(accept)).toBe(expected);
  });

  it('selects the first media type without the header, and one of several by the header', () => {
    expect(preferred()).toBe(json);
    expect(preferred('application/json;q=0.2', 'text/csv;q=0.3')).toBe(csv);
  });

  it('selects the type with the highest weight, for any weights and order', () => {
    const weight = fc.integer({ min: 1, max: 1000 }).map((thousandths) => (thousandths / 1000).toFixed(3));
    fc.assert(
      fc.property(weight, weight, fc.boolean(), (ofJson, ofCsv, csvFirst) => {
        const ranges = [`${json};q=${ofJson}`, `${csv}; q=${ofCsv}`];
        const expected = Number(ofCsv) > Number(ofJson) ? csv : json;
        expect(preferred((csvFirst ? ranges.toReversed() : ranges).join(' , '))).toBe(expected);
      }),
    );
  });
});

it('computes the entity tag as a strong validator that depends on all parts', () => {
  expect(entityTag('aspen', '{}')).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
  expect(entityTag('ab', 'c')).not.toBe(entityTag('a', 'bc'));
  const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 3 });
  fc.assert(
    fc.property(parts, parts, (left, right) => {
      expect(entityTag(...left) === entityTag(...right)).toBe(JSON.stringify(left) === JSON.stringify(right));
    }),
  );
});

describe('If-None-Match', () => {
  const tag = '"abc"';

  it.each([
    [['W/"abc"'], 'the comparison is weak'],
    [[' * '], 'a star matches any tag'],
    [['"x","abc","y"'], 'whitespace is optional'],
    [['"x"\t,\t W/"abc" '], 'tabs count as whitespace'],
    [[',, "x",, "abc",'], 'a list can have empty elements'],
    [['garbage', '"abc"'], 'garbage invalidates only its own line'],
    [['"a,b", "abc"'], 'a quoted comma is not a separator'],
    [['"", "abc"'], 'a tag can be empty'],
  ])('matches %j: %s', (values) => expect(matches(values, tag)).toBe(true));

  it.each([
    [[], 'there is no header'],
    [[' , '], 'it is an empty list'],
    [['"ABC"'], 'tags are compared byte by byte'],
    [['abc'], 'it is not quoted'],
    [['"abc'], 'the quote is not closed'],
    [['"abc"x'], 'characters follow the quote'],
    [['w/"abc"'], 'the prefix of a weak tag is uppercase'],
    [['W/ "abc"'], 'no space is allowed after the weak prefix'],
    [['"x,"abc","'], 'it is between two tags'],
    [['"x" "abc"'], 'a comma is missing'],
    [['"x,abc,y"'], 'it is part of a different tag'],
    [['"*"'], 'a quoted star is a tag'],
    [['\\"abc\\"'], 'a backslash is not an escape character'],
  ])('does not match %j: %s', (values) => expect(matches(values, tag)).toBe(false));

  it('matches exactly the tags in the list', () => {
    const opaque = fc.stringMatching(/^[!#-~]{0,6}$/);
    const elements = fc.array(fc.tuple(opaque, fc.boolean()), { maxLength: 5 });
    fc.assert(
      fc.property(elements, fc.constantFrom(',', ', ', ' ,', '\t,, '), opaque, (list, comma, looked) => {
        const value = list.map(([text, isWeak]) => `${isWeak ? 'W/' : ''}"${text}"`).join(comma);
        for (const text of [looked, ...list.map(([text]) => text)])
          expect(matches([value], `"${text}"`)).toBe(list.some(([listed]) => listed === text));
      }),
    );
  });
});
