/** `npm run accounts -- check`: what is missing before production. */
import { expect, it } from 'vitest';
import { addDays, toDay } from '../../shared/base/calendar.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { now } from '../../shared/config/clock.ts';
import { accounts, newAccount, waitForDatabase } from '../support/accounts-cli.ts';
import { runInProcess } from '../support/run-command.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

type Finding = { readonly status: string; readonly subject: string; readonly found: string; readonly action: string };
const findingOf = async (account: string, subject: string): Promise<Finding | undefined> => {
  const { out } = await accounts('check', '--account', account, '--json');
  return (JSON.parse(out).findings as Finding[]).find((one) => one.subject === subject);
};

const michigan = 'registrations=[{"state":"MI","from":"2026-01-01","to":null,"frequency":"month"}]';

it('names a command for the content of a registered state that the command accepts', async () => {
  const { id } = await newAccount();
  await accounts('settings', '--account', id, michigan);
  const { action = '' } = (await findingOf(id, 'content US-MI')) ?? {};
  const [, words = ''] = /npm run content -- (.+)$/.exec(action) ?? [];
  // The address of the mirror is refused after the states are read.
  const { err } = await runInProcess(contentProgram(), [...words.split(' '), '--mirror', 'none']);
  expect(err).toContain('--mirror cannot be "none"');
});

it('lists the election of a remote seller in a registered state, and one that cannot apply', async () => {
  const { id } = await newAccount();
  const registrations = `registrations=${JSON.stringify([{ state: 'TX', from: '2026-01-01', to: null, frequency: 'month' }])}`;
  await accounts('settings', '--account', id, registrations);
  expect(await findingOf(id, 'election US-TX')).toMatchObject({ status: 'check', found: 'none' });
  expect(await findingOf(id, 'election US-AL')).toBeUndefined();
  const election = { state: 'TX', election: 'single_local_use_tax', from: '2026-01-01' };
  await accounts('settings', '--account', id, `remote_seller_elections=${JSON.stringify([election])}`);
  expect(await findingOf(id, 'election US-TX')).toMatchObject({
    status: 'ok',
    found: 'single_local_use_tax from 2026-01-01',
  });
  await accounts('settings', '--account', id, 'ship_from={"state":"TX","postal_code":"78701"}');
  expect(await findingOf(id, 'election US-TX')).toMatchObject({ status: 'check' });
});

it('shows when the last key expires, and reports it as missing 30 days before', async () => {
  const { id, key } = await newAccount('--expires', '90d');
  const end = addDays(toDay(now()), 90);
  expect(await findingOf(id, 'API keys')).toMatchObject({
    status: 'ok',
    found: `1 active key; the last one expires ${end}`,
  });
  await later(61 * 86_400_000, async () =>
    expect(await findingOf(id, 'API keys')).toMatchObject({
      status: 'missing',
      action: `Rotate it before: npm run accounts -- keys rotate ${key.id} --account ${id}`,
    }),
  );
  await later(91 * 86_400_000, async () =>
    expect(await findingOf(id, 'API keys')).toMatchObject({ status: 'check', found: 'none' }),
  );
});
