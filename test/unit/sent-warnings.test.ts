import { describe, expect, it } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import { AccountAnswer } from '../../shared/accounts/response.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import {
  accountAnswerFields,
  calculationAnswerFields,
  filingAnswerFields,
  transactionAnswerFields,
} from '../../shared/calculations/answer-fields.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { Calculation } from '../../shared/calculations/response.ts';
import { sentWarnings, unknownFieldWarnings } from '../../shared/calculations/sent-warnings.ts';
import { Filing } from '../../shared/filings/response.ts';
import { TransactionRequest } from '../../shared/ledger/request.ts';
import { RetrievedTransaction } from '../../shared/ledger/response.ts';
import { AccountUpdate } from '../../shared/settings/request.ts';
import { ask } from '../support/builders.ts';

const accountIn = (time_zone: string) => {
  const account = newAccount({ name: 'Test', serviceVersion: currentVersion, createdMs: 0 });
  return { ...account, settings: { ...account.settings, time_zone } };
};
const utc = accountIn('UTC');
const newYork = accountIn('America/New_York');
const found = (body: unknown, account = utc, isUpdate = false) =>
  sentWarnings(body, [], account, isUpdate).map(({ code, pointer }) => `${code} ${pointer}`);

describe('a supplied line amount', () => {
  const line = { quantity: '2', unit_price: '10.00' };
  const fraction = { quantity: '2', unit_price: '3.333' };
  it.each<[unknown, object, boolean]>([
    ['20.00', line, false],
    ['20', line, false],
    [null, line, false],
    ['25.00', line, true],
    ['20.01', line, true],
    ['20.001', line, true],
    ['10.00', line, true],
    [25, line, true],
    ['6.666', fraction, true],
    ['6.67', fraction, false],
    // The price is taken from the sale.
    ['5.00', { id: 'a', quantity: '1' }, false],
  ])('%j with %j causes a warning: %s', (amount, others, warns) => {
    const expected = warns ? ['line_amount_differs /line_items/0/amount'] : [];
    expect(found({ line_items: [{ ...others, amount }] })).toEqual(expected);
  });

  it('causes a warning with both amounts and what to send', () => {
    const [warning] = sentWarnings({ line_items: [line, { ...line, amount: '25.00' }] }, [], utc);
    expect(warning).toEqual({
      code: 'line_amount_differs',
      message:
        'The amount sent, "25.00", is not the quantity times the unit price, 20.00, which was taxed. Send another unit_price, or leave amount out.',
      pointer: '/line_items/1/amount',
    });
  });

  it.each(['USD', 'JPY', 'KWD'])('causes no warning if a response in %s is sent back', (currency) => {
    const prices = ['3.333', '0.005', '19.99', '0', '1234567.8949'];
    const line_items = ['1', '0.3', '7', '1.5'].flatMap((quantity) =>
      prices.map((unit_price) => ({ quantity, unit_price })),
    );
    const answer = ask({ to: { state: 'MI', postal_code: '48933' }, currency, line_items });
    // An update, or a credit of a sale, can omit the currency.
    const { currency: _, ...others } = answer;
    expect(found(answer)).toEqual([]);
    expect(found(others, utc, true)).toEqual([]);
    expect(found({ ...others, type: 'credit', parent_transaction_id: 'txn_1' })).toEqual([]);
  });
});

describe('a tax date with an offset', () => {
  it.each<[string | null, typeof utc, boolean, string]>([
    ['2026-10-31T23:30:00-04:00', utc, true, 'it is 1 November in UTC'],
    ['2026-10-31T19:30:00-04:00', utc, false, 'it is the same day in UTC'],
    ['2026-11-01T00:30:00+02:00', utc, true, 'it is 31 October in UTC'],
    ['2026-10-31T23:30:00-04:00', newYork, false, 'the offset matches the time zone'],
    ['2026-10-31T22:30:00-07:00', newYork, true, 'New York is ahead'],
    ['2026-11-01T02:30:00Z', newYork, false, 'Z leaves the day to the account'],
    ['2026-11-01T02:30:00+00:00', newYork, false, 'UTC may be written so'],
    ['2026-10-31', newYork, false, 'it is a date'],
    [null, newYork, false, 'no tax date was sent'],
  ])('%s in $settings.time_zone causes a warning: %s, because %s', (tax_date, account, warns) => {
    expect(found({ tax_date }, account)).toEqual(warns ? ['tax_day_differs /tax_date'] : []);
  });

  it('causes a warning with both days, the time zone, and what to send', () => {
    const [warning] = sentWarnings({ tax_date: '2026-10-31T23:30:00-04:00' }, [], utc);
    expect(warning?.message).toBe(
      "The tax date is 2026-10-31 in its own offset, and 2026-11-01 in the account's time zone UTC: the tax of 2026-11-01 applies. To apply the tax of 2026-10-31, send it as a date, or set the account's time_zone.",
    );
  });
});

describe('an unknown field', () => {
  it.each<[string, string[]]>([
    ['/customer/address/zip', ['zip', 'postal_code']],
    ['/line_items/0/qty', ['qty', 'quantity']],
    ['/line_items/0/unitprice', ['unitprice', 'unit_price']],
    ['/customer/adress', ['adress', 'address']],
    ['/curency', ['curency', 'currency']],
    ...['sku', 'email', 'constructor', 'rate'].map((name) => [`/line_items/0/${name}`, [name]] as [string, string[]]),
  ])('%s causes a warning that names %j', (pointer, names) => {
    const [warning] = unknownFieldWarnings([pointer]);
    expect([...(warning?.message ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(names);
  });

  it('is listed among the first 20, and otherwise counted', () => {
    const warnings = unknownFieldWarnings(Array.from({ length: 27 }, (_, index) => `/field_${index}`));
    expect([warnings.length, warnings.at(19)?.pointer]).toEqual([21, '/field_19']);
    expect(warnings.at(-1)).toMatchObject({ pointer: null, message: expect.stringMatching(/^7 /) });
  });
});

type Definition = {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
};
type Schema = { readonly _zod: { readonly def: Definition } };
type Fields = { readonly [name: string]: true | Fields };

const getDefinition = (schema: Schema): Definition => {
  const { def } = schema._zod;
  if (def.innerType) return getDefinition(def.innerType);
  // An object or a list of objects.
  if (def.options?.[0]) return getDefinition(def.options[0]);
  return def.type === 'array' ? getDefinition(def.element as Schema) : def;
};

/** Returns the fields of the response schema that the request schema does not have. */
const beside = (request: Schema, answer: Schema): Fields => {
  const [sent, answered] = [getDefinition(request).shape, getDefinition(answer).shape];
  if (!sent || !answered) return {};
  const entries = Object.entries(answered).map(([name, schema]): [string, true | Fields] => [
    name,
    name in sent ? beside(sent[name] as Schema, schema) : true,
  ]);
  return Object.fromEntries(entries.filter(([, below]) => below === true || Object.keys(below).length > 0));
};

it.each([
  ['a calculation', CalculationRequest, Calculation, calculationAnswerFields],
  ['an account', AccountUpdate, AccountAnswer, accountAnswerFields],
  ['a transaction', TransactionRequest, RetrievedTransaction, transactionAnswerFields],
])('lists every response field of %s that is not in its request', (_name, request, answer, fields) => {
  expect(fields).toEqual(beside(request, answer));
});

it('lists every response field of a filing, which two requests return', () => {
  expect(Object.keys(filingAnswerFields)).toEqual(Object.keys(Filing.shape));
});
