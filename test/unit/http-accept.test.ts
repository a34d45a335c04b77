import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preferredType } from '../../shared/api/csv-reply.ts';

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
  ])('"%s" is %s', (accept, expected) => {
    expect(preferred(accept)).toBe(expected);
  });

  it('is the first one without the header, and is selected from several', () => {
    expect(preferred()).toBe(json);
    expect(preferred('application/json;q=0.2', 'text/csv;q=0.3')).toBe(csv);
  });

  it('is the type with the highest weight, for any weights and order', () => {
    const weight = fc.integer({ min: 1, max: 1000 }).map((thousandths) => (thousandths / 1000).toFixed(3));
    fc.assert(
      fc.property(weight, weight, fc.boolean(), (ofJson, ofCsv, csvFirst) => {
        const ranges = [`${json};q=${ofJson}`, `${csv}; q=${ofCsv}`];
        const expected = Number(ofCsv) > Number(ofJson) ? csv : json;
        expect(preferred((csvFirst ? ranges.toReversed() : ranges).join(' , '))).toBe(expected);
      }),
    );
  });

  it('is always one of the offered types', () => {
    fc.assert(fc.property(fc.array(fc.string()), (accept) => [json, csv].includes(preferred(...accept))));
  });
});
