// @isolated: ids of one process never go back, and here they must tell the time of their creation.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { redactTransaction } from '../../shared/ledger/personal-data/redact.ts';
import { database } from '../../shared/store/client/client.ts';
import { redactionPorts } from '../../shared/store/ledger/redaction-ports.ts';
import { newCaller } from '../support/api.ts';
import { filerOf } from '../support/filings.ts';
import { customerIds, everyFigure, personalShop } from '../support/personal-shop.ts';
import { rawItemsOf } from '../support/raw-items.ts';
import { runInProcess } from '../support/run-command.ts';
import { creditOf, made, michigan, sold } from '../support/sales.ts';

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
    const hashes = customerIds.map((id) => createHash('sha256').update(id).digest('hex'));
    const linksOf = async (hash: string) => (await personalIn(account.id, hash)).length;
    for (const hash of hashes) expect(await linksOf(hash)).toBe(1);
    const outcome = await redact(account.id, '--older-than', '0', '--yes', '--json');
    expect(outcome).toMatchObject({ code: 0 });
    for (const customer of customerIds)
      expect(await redact(account.id, '--customer', customer, '--yes')).toMatchObject({ code: 0 });
    expect(await personalIn(account.id)).toEqual([]);
    expect(await personalIn(account.id, '48226-9')).toEqual([]);
    for (const hash of hashes) expect(await linksOf(hash)).toBe(0);
    expect(await everyFigure(shop)).toEqual(before);
    const { code, findings, checked } = await verify(account.id);
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect(checked.redacted).toBe(JSON.parse(outcome.out).transactions);
    expect(checked.redacted).toBe(checked.transactions);
  });

  it('does not change other customers', async () => {
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

it('leaves nothing of a customer in credits that were drafted concurrently, if it ends clean', async () => {
  const caller = await newCaller();
  const client = filerOf(caller);
  for (let round = 0; round < 4; round++) {
    const customer = { id: `privraced${round}`, address: { ...michigan, line1: `1 privstreet${round} St` } };
    const sales = [];
    for (let count = 0; count < 6; count++) sales.push(await sold(client, { customer }));
    let isOver = false;
    const drafts = sales.map(async (sale) => {
      while (!isOver) {
        const { status } = await client.create(creditOf(sale, { status: 'draft' }));
        expect([201, 503]).toContain(status);
      }
    });
    const ended = await redact(caller.account.id, '--customer', customer.id, '--yes', '--json');
    isOver = true;
    await Promise.all(drafts);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.out)).toMatchObject({ left: 0 });
    expect(await personalIn(caller.account.id, `priv[a-z]+${round}`)).toEqual([]);
  }
});

it.each(['credit', 'sale'])(
  'a draft credit is finalized without a warning after its %s was redacted',
  async (redacted) => {
    const caller = await newCaller();
    const client = filerOf(caller);
    const sale = await sold(client, { customer: { id: 'privdraft', address: michigan } });
    const credit = await made(client.create(creditOf(sale, { status: 'draft' })));
    const { id } = redacted === 'sale' ? sale : credit;
    await redactTransaction(caller.account.id, id, 'operator', redactionPorts());
    const finalized = await made(client.update(credit.id, { status: 'finalized' }));
    expect(finalized).toMatchObject({ status: 'finalized', warnings: [] });
  },
);

it('reports how many sales are left when new ones keep coming, fails, and ends clean when run again', async () => {
  const caller = await newCaller();
  const client = filerOf(caller);
  const customer = { id: 'privbusy', address: michigan };
  await sold(client, { customer });
  // A sale is recorded before each time that the command reads its selection.
  database.middlewareStack.add(
    (next) => async (sent) => {
      if ((sent.input as { IndexName?: string }).IndexName === 'by_account') await sold(client, { customer });
      return next(sent);
    },
    { step: 'initialize', name: 'overtake' },
  );
  const ended = await redact(caller.account.id, '--customer', customer.id, '--yes', '--json').finally(() =>
    database.middlewareStack.remove('overtake'),
  );
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.out).left).toBeGreaterThan(0);
  expect((await personalIn(caller.account.id, customer.id)).length).toBeGreaterThan(0);
  const again = await redact(caller.account.id, '--customer', customer.id, '--yes', '--json');
  expect([again.code, JSON.parse(again.out).left]).toEqual([0, 0]);
  expect(await personalIn(caller.account.id, customer.id)).toEqual([]);
});
