import { describe, expect, it, vi } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { customerIds, everyFigure, personalShop } from '../support/personal-shop.ts';
import { rawItemsOf } from '../support/raw-items.ts';
import { runInProcess } from '../support/run-command.ts';
import { made } from '../support/sales.ts';

await vi.hoisted(async () => (await import('../support/own-tables.ts')).useOwnTables());

const redact = (...args: readonly string[]) => runInProcess(accountsProgram(), ['redact', '--account', ...args]);
const verify = async (account: string) => {
  const { code, out } = await runInProcess(ledgerProgram(), ['verify', '--account', account, '--json']);
  return { code, ...JSON.parse(out) };
};
const personalIn = async (account: string, text = 'priv') =>
  (await rawItemsOf(account)).flatMap((item) => item.match(new RegExp(`.{0,60}${text}.{0,20}`)) ?? []);

describe('a redaction of a random ledger', () => {
  it.each([1, 2, 3])('removes every personal text from every item, and no figure: seed %i', async (seed) => {
    const shop = await personalShop(seed, 12);
    const { account } = shop.caller;
    const before = await everyFigure(shop);
    expect((await personalIn(account.id)).length).toBeGreaterThan(20);
    const outcome = await redact(account.id, '--older-than', '0', '--yes', '--json');
    expect(outcome).toMatchObject({ code: 0 });
    for (const customer of customerIds)
      expect(await redact(account.id, '--customer', customer, '--yes')).toMatchObject({ code: 0 });
    expect(await personalIn(account.id)).toEqual([]);
    expect(await personalIn(account.id, '48226-9')).toEqual([]);
    expect(await everyFigure(shop)).toEqual(before);
    const { code, findings, checked } = await verify(account.id);
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect(checked.redacted).toBe(JSON.parse(outcome.out).transactions);
    expect(checked.redacted).toBe(checked.transactions);
  });

  it('a redaction of one customer leaves the others as they were', async () => {
    const shop = await personalShop(4, 12);
    const { account } = shop.caller;
    const [erased, kept] = customerIds;
    const before = await everyFigure(shop);
    const named = (await personalIn(account.id, kept)).length;
    expect(await redact(account.id, '--customer', erased, '--yes')).toMatchObject({ code: 0 });
    expect(await personalIn(account.id, erased)).toEqual([]);
    expect(await personalIn(account.id, kept)).toHaveLength(named);
    expect((await made(shop.client.list({ customer_id: erased }))).data).toEqual([]);
    expect(await everyFigure(shop)).toEqual(before);
    expect(await verify(account.id)).toMatchObject({ code: 0, findings: [] });
  });
});
