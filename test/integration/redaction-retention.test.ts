// @isolated: ids of one process never go back, and here they must tell the time of their creation.
import { expect, it } from 'vitest';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { type RetentionPorts, retainPersonalData } from '../../shared/ledger/personal-data/redact.ts';
import { deleteAccountItems } from '../../shared/store/accounts/account-items.ts';
import { retentionPorts } from '../../shared/store/ledger/redaction-ports.ts';
import { sweepPosition } from '../../shared/store/sweep-position.ts';
import { accounts } from '../support/accounts-cli.ts';
import { newCaller } from '../support/api.ts';
import { rawItemsOf } from '../support/raw-items.ts';
import { runInProcess } from '../support/run-command.ts';
import { clientOf, dayMs, later, made, sold } from '../support/sales.ts';
import { alter, ofTransaction, undoTampering } from '../support/tampering.ts';

const fail = (error: unknown) => {
  throw error;
};

/** A run of the schedule for one account, because the register of the tests has thousands. */
const runFor = (account: string, others: Partial<RetentionPorts> = {}) =>
  retainPersonalData({
    ...retentionPorts(() => 600_000, fail),
    accountIds: async () => ({ ids: [account], next: null }),
    position: sweepPosition({ pk: `DUE#RETENTION#${account}`, sk: '!' }),
    ...others,
  });
const counts = (redacted: number, failed = 0, inconsistent = 0) => ({ redacted, failed, inconsistent });

const shop = async (setting?: string) => {
  const caller = await newCaller();
  const { id } = caller.account;
  if (setting !== undefined)
    expect(await accounts('settings', '--account', id, `retain_personal_data_days=${setting}`)).toMatchObject({
      code: 0,
    });
  return { id, client: clientOf(caller) };
};
const redactedOf = async (client: ReturnType<typeof clientOf>) =>
  (await made(client.list({ limit: '100' }))).data.map(({ redacted_at }) => redacted_at !== undefined).reverse();

it('removes personal data once it is older than the setting, and continues there on later days', async () => {
  const { id, client } = await shop('30');
  for (let at = 0; at < 30; at++) await sold(client, { metadata: { email: 'priv@example.org' } });
  await later(10 * dayMs, () => sold(client));
  expect(await runFor(id)).toEqual(counts(0));
  await later(31 * dayMs, async () => {
    expect(await runFor(id)).toEqual(counts(30));
    // Done for this day.
    expect(await runFor(id)).toEqual(counts(0));
  });
  expect(await redactedOf(client)).toEqual([...Array.from({ length: 30 }, () => true), false]);
  expect((await rawItemsOf(id)).filter((item) => item.includes('priv@'))).toEqual([]);
  await later(41 * dayMs, async () => expect(await runFor(id)).toEqual(counts(1)));
  const { id: first } = (await made(client.list())).data[0] as { id: string };
  const history = await runInProcess(ledgerProgram(), ['history', first, '--account', id]);
  expect(history.out).toContain('retention');
  const { code } = await runInProcess(ledgerProgram(), ['verify', '--account', id]);
  expect(code).toBe(0);
});

it('stops when the time is up, and the next run of the day does the rest', async () => {
  const { id, client } = await shop('30');
  for (let at = 0; at < 30; at++) await sold(client);
  // Ids never go back in time, and the test above made one ten days later.
  await later(60 * dayMs, async () => {
    // The time ends with the first batch of 25.
    let isFirst = true;
    const { reach } = retentionPorts(() => 0, fail);
    const interrupted = await runFor(id, {
      remainingMs: () => (isFirst ? 600_000 : 0),
      reach: async (account, after) => {
        await reach(account, after);
        isFirst = false;
      },
    });
    expect(interrupted).toEqual(counts(25));
    expect(await runFor(id)).toEqual(counts(5));
  });
  expect(await redactedOf(client)).not.toContain(false);
});

it('keeps the data without the setting, which has bounds', async () => {
  const { id, client } = await shop();
  await sold(client);
  await later(4000 * dayMs, async () => expect(await runFor(id)).toEqual(counts(0)));
  for (const value of ['29', '0', '-1', '1.5', '36501', 'never', ''])
    expect(await accounts('settings', '--account', id, `retain_personal_data_days=${value}`)).toMatchObject({
      code: 1,
    });
  expect(await accounts('settings', '--account', id, 'retain_personal_data_days=null')).toMatchObject({ code: 0 });
});

it('restarts the day after a failure, and skips an altered transaction', async () => {
  const { id, client } = await shop('30');
  const { id: altered } = await sold(client);
  await sold(client);
  const otherDay = ofTransaction(() => ({ tax_date: '2026-10-09' }));
  await alter({ account: id, id: altered }, otherDay);
  await later(120 * dayMs, async () => {
    const errors: unknown[] = [];
    const failing = await runFor(id, {
      onFailure: (error) => errors.push(error),
      olderIds: async () => {
        throw new Error('an outage');
      },
    });
    expect([failing, errors.length]).toEqual([counts(0, 1), 1]);
    expect(await runFor(id)).toEqual(counts(1, 0, 1));
    expect(await runFor(id)).toEqual(counts(0));
  });
  await undoTampering();
});

it('leaves no position of an account whose items are deleted meanwhile', async () => {
  const { id, client } = await shop('30');
  await sold(client);
  // Ids never go back in time, and tests above made later ones.
  await later(100 * dayMs, async () => {
    const { olderIds } = retentionPorts(() => 600_000, fail);
    await runFor(id, {
      olderIds: async (...range) => {
        const ids = await olderIds(...range);
        if (ids.length > 0) await deleteAccountItems(id, () => {});
        return ids;
      },
    });
  });
  const left = await rawItemsOf(id);
  expect(left.filter((item) => item.includes('"DUE#RETENTION"'))).toEqual([]);
});
