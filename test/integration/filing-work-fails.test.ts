import { afterEach, describe, expect, it } from 'vitest';
import { database } from '../../shared/store/client/client.ts';
import { newCaller } from '../support/api.ts';
import { closedFiling, filerOf, settled, soldOn, totalsOf } from '../support/filings.ts';
import { made } from '../support/sales.ts';

type Behavior = () => Promise<never>;
const fail: Behavior = () => Promise.reject(new Error('The database has gone.'));
const throttle: Behavior = () => Promise.reject(Object.assign(new Error('Too much.'), { name: 'ThrottlingException' }));
const hang: Behavior = () => new Promise<never>(() => {});

/** Lets this many writes through, and none after them. */
const breakAfter = (writes: number, behave: Behavior) => {
  let left = writes;
  database.middlewareStack.add(
    (next, context) => (sent) => {
      if (context.commandName !== 'TransactWriteItemsCommand' && context.commandName !== 'TransactWriteCommand')
        return next(sent);
      return left-- > 0 ? next(sent) : behave();
    },
    { step: 'initialize', name: 'break', priority: 'high' },
  );
};
const repair = () => void database.middlewareStack.remove('break');
afterEach(repair);

const asked = { state: 'MI', period_end: '2026-10-31' };
const key = { 'Idempotency-Key': 'k' };

describe('work of a request before its response', () => {
  it.each([
    ['fails', fail],
    ['is throttled', throttle],
    ['hangs', hang],
  ])('%s, and the period is closing all the same, to be finished by another', async (_name, behave) => {
    const filer = filerOf(await newCaller());
    for (let at = 0; at < 20; at++) await soldOn(filer, '2026-10-05', '10.00');
    // The filing itself, and three steps.
    breakAfter(4, behave);
    const answer = await filer.close(asked, key);
    repair();
    expect([answer.status, answer.body.status]).toEqual([202, 'closing']);
    const { id } = answer.body;
    expect(await made(filer.filing(id))).toMatchObject({ status: 'closing', progress: { complete: false } });
    expect((await filer.close(asked, key)).text).toBe(answer.text);
    // Asked without the key, it goes on.
    await made(filer.close(asked));
    expect(totalsOf(await settled(filer, id))).toEqual(['US-MI USD 200.00 0.00 200.00 12.00 20']);
  });

  it('fails, and the return is still filed', async () => {
    const filer = filerOf(await newCaller());
    for (let at = 0; at < 20; at++) await soldOn(filer, '2026-10-05', '10.00');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const confirmed = { status: 'filed', confirmation_number: 'c' };
    breakAfter(3, fail);
    const filed = await filer.change(id, confirmed);
    repair();
    expect([filed.status, filed.body.status]).toEqual([202, 'marking']);
    expect((await made(filer.filing(id))).status).toBe('marking');
    await made(filer.change(id, confirmed));
    expect((await settled(filer, id)).progress.entries_marked).toBe(20);
  });
});

it('a write that does not begin the filing is a failure, and then there is none', async () => {
  const filer = filerOf(await newCaller());
  breakAfter(0, throttle);
  const answer = await filer.close(asked);
  repair();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await made(filer.filings())).data).toEqual([]);
});
