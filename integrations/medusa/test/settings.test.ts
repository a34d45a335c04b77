import { describe, expect, it } from 'vitest';
import { cartOf, type Document } from '../cart.ts';
import { settingsOf } from '../levy.ts';
import { LevyTaxProvider } from '../provider.ts';
import { isEstimated } from '../tax.ts';

const complete = { LEVY_URL: 'https://levy.example', LEVY_API_KEY: 'levy_key' };

describe('the settings', () => {
  it('have defaults', () => {
    expect(settingsOf(complete)).toEqual({
      ...{ url: 'https://levy.example', apiKey: 'levy_key', shop: 'medusa' },
      ...{ timeoutMs: 1000, pauseMs: 5000, isBlocking: false },
    });
    expect(settingsOf({ ...complete, LEVY_FALLBACK: 'block' }).isBlocking).toBe(true);
  });

  it.each([
    ['LEVY_URL', undefined],
    ['LEVY_URL', 'levy.example'],
    ['LEVY_API_KEY', ''],
    ['LEVY_FALLBACK', 'Block'],
    ['LEVY_TIMEOUT_MS', '1s'],
    ['LEVY_PAUSE_MS', '-1'],
  ])('report the variable %s that is %s', (name, value) => {
    expect(() => settingsOf({ ...complete, [name]: value })).toThrow(name);
  });

  it('refuse a shop name that is not valid in an idempotency key', () => {
    for (const LEVY_SHOP of ['müller', 'two words', 'x'.repeat(51)])
      expect(() => settingsOf({ ...complete, LEVY_SHOP })).toThrow(RangeError);
  });

  it('are checked when Medusa loads the tax provider', () => {
    expect(() => LevyTaxProvider.validateOptions()).toThrow('LEVY_URL');
  });
});

describe('a customer', () => {
  const cart: Document = { id: 'cart_1', currency_code: 'usd', items: [{ id: 'cali_1', quantity: 1, unit_price: 10 }] };
  const customerOf = (has_account: boolean) => cartOf({ ...cart, customer: { id: 'cus_1', has_account } }).customerId;

  it('with an account has an id with the shop as its prefix', () => {
    expect(customerOf(true)).toBe('medusa-cus_1');
  });

  it('without an account has no id, because guests can enter the address of a different customer', () => {
    expect([customerOf(false), cartOf(cart).customerId]).toEqual([null, null]);
  });
});

describe('the tax provider', () => {
  const item = { line_item: { id: 'cali_1' }, rates: [] };
  const failed = { levy: { kind: 'failed' } };

  it('marks an estimate even if the tax region has no default rate', async () => {
    const address = { postal_code: '48226' };
    const lines = await new LevyTaxProvider().getTaxLines([item], [], { address, additional_context: failed });
    expect(lines).toMatchObject([{ rate: 0, line_item_id: 'cali_1' }]);
    expect(isEstimated([{ tax_lines: lines }])).toBe(true);
  });

  it('marks an estimate of an address without a ZIP code', async () => {
    const rates = [{ id: 'txr_1', rate: 7, code: 'fallback', name: 'Fallback' }];
    const context = { address: { postal_code: null }, additional_context: failed };
    const lines = await new LevyTaxProvider().getTaxLines([{ ...item, rates }], [], context);
    expect([lines.map(({ rate }) => rate), isEstimated([{ tax_lines: lines }])]).toEqual([[7], true]);
  });

  it('logs if a different plugin calculates tax', async () => {
    const texts: string[] = [];
    const logger = { warn: (text: string) => void texts.push(text), error: expect.fail };
    await new LevyTaxProvider({ logger }).getTaxLines([item], [], { address: { postal_code: '48226' } });
    expect(texts.join()).toContain("charging the shop's tax rate");
    await new LevyTaxProvider({ logger: { warn: expect.fail, error: expect.fail } }).getTaxLines([item], [], {
      address: {},
    });
  });
});
