import { describe, expect, it } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { sentWarnings } from '../../shared/calculations/sent-warnings.ts';
import { ask } from '../support/builders.ts';

const accountIn = (time_zone: string) => {
  const account = newAccount({ name: 'Test', serviceVersion: currentVersion, createdMs: 0 });
  return { ...account, settings: { ...account.settings, time_zone } };
};
const utc = accountIn('UTC');
const found = (body: unknown, account = utc, isUpdate = false) =>
  sentWarnings(body, [], account, isUpdate).map(({ code, pointer }) => `${code} ${pointer}`);

describe('the amount of a line that was sent', () => {
  const line = { quantity: '2', unit_price: '10.00' };
  const at = (index: number) => `line_amount_differs /line_items/${index}/amount`;
  it.each<[string, unknown, object, string[]]>([
    ['the product', '20.00', {}, []],
    ['the product with fewer decimals', '20', {}, []],
    ['null', null, {}, []],
    ['another amount', '25.00', {}, [at(0)]],
    ['a cent more', '20.01', {}, [at(0)]],
    ['a fraction of a cent more', '20.001', {}, [at(0)]],
    ['the price of one', '10.00', {}, [at(0)]],
    ['a number', 25, {}, [at(0)]],
    ['the product before rounding', '6.666', { quantity: '2', unit_price: '3.333' }, [at(0)]],
    ['the rounded product', '6.67', { quantity: '2', unit_price: '3.333' }, []],
  ])('warns unless it is the quantity times the price: %s', (_what, amount, others, expected) => {
    expect(found({ line_items: [{ ...line, ...others, amount }] })).toEqual(expected);
  });

  it('names both amounts, and what to send', () => {
    const [warning] = sentWarnings({ line_items: [line, { ...line, amount: '25.00' }] }, [], utc);
    expect(warning).toEqual({
      code: 'line_amount_differs',
      message:
        'The amount sent, "25.00", is not the quantity times the unit price, 20.00, which was taxed. Send another unit_price, or leave amount out.',
      pointer: '/line_items/1/amount',
    });
  });

  it.each(['USD', 'JPY', 'KWD'])('has no warning in an answer in %s that is sent back', (currency) => {
    const prices = ['3.333', '0.005', '19.99', '0', '1234567.8949'];
    const line_items = ['1', '0.3', '7', '1.5'].flatMap((quantity) =>
      prices.map((unit_price) => ({ quantity, unit_price })),
    );
    const answer = ask({ to: { state: 'MI', postal_code: '48933' }, currency, line_items });
    expect(found(answer)).toEqual([]);
    // An update and a credit of a sale may leave the currency out.
    const { currency: _, ...others } = answer;
    expect(found(others, utc, true)).toEqual([]);
    expect(found({ ...others, type: 'credit', parent_transaction_id: 'txn_1' })).toEqual([]);
  });

  it('is not compared where the price is that of the sale', () => {
    expect(found({ line_items: [{ id: 'a', quantity: '1', amount: '5.00' }] })).toEqual([]);
  });
});

describe('a tax date with an offset', () => {
  const newYork = accountIn('America/New_York');
  const differs = ['tax_day_differs /tax_date'];
  it.each([
    { tax_date: '2026-10-31T23:30:00-04:00', account: utc, expected: differs, because: 'it is 1 November in UTC' },
    { tax_date: '2026-10-31T19:30:00-04:00', account: utc, expected: [], because: 'it is the same day in UTC' },
    { tax_date: '2026-11-01T00:30:00+02:00', account: utc, expected: differs, because: 'it is 31 October in UTC' },
    { tax_date: '2026-10-31T23:30:00-04:00', account: newYork, expected: [], because: 'it is the offset of the zone' },
    { tax_date: '2026-10-31T22:30:00-07:00', account: newYork, expected: differs, because: 'New York is ahead' },
    { tax_date: '2026-11-01T02:30:00Z', account: newYork, expected: [], because: 'Z leaves the day to the account' },
    { tax_date: '2026-11-01T02:30:00+00:00', account: newYork, expected: [], because: 'UTC may be written so' },
    { tax_date: '2026-10-31', account: newYork, expected: [], because: 'it is a date' },
    { tax_date: null, account: newYork, expected: [], because: 'there is none' },
  ])('$tax_date gives $expected in $account.settings.time_zone: $because', ({ tax_date, account, expected }) => {
    expect(found({ tax_date }, account)).toEqual(expected);
  });

  it('names both days, the time zone, and what to send', () => {
    const [warning] = sentWarnings({ tax_date: '2026-10-31T23:30:00-04:00' }, [], utc);
    expect(warning?.message).toBe(
      "The tax date is 2026-10-31 by its offset, and 2026-11-01 in the account's time zone UTC: the tax of 2026-11-01 applies. Send 2026-10-31 as a date for that day, or set the account's time_zone.",
    );
  });
});
