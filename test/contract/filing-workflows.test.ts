import { describe, expect, it } from 'vitest';
import { documentation as creation } from '../../functions/create-filing.ts';
import { documentation as change } from '../../functions/update-filing.ts';
import { sale } from '../../shared/api/openapi/sample-requests.ts';
import { filings } from '../../shared/api/openapi/samples.ts';
import { newCaller } from '../support/api.ts';
import { csv, filerOf, settled } from '../support/filings.ts';
import { made } from '../support/sales.ts';

const october = { state: 'MI', period_end: '2026-10-31' };

/** A new account with this many of the example's sales. */
const filerWith = async (sales: number) => {
  const filer = filerOf(await newCaller());
  for (let at = 0; at < sales; at++) await made(filer.create({ ...sale, status: 'finalized' }));
  return filer;
};

// Each of these answers is compared with the document (test/support/setup-api.ts).
describe('a period keeps the contract', () => {
  it('matches the document from the dry run of a period to its return, in every form', async () => {
    const filer = await filerWith(2);
    const dry = await filer.close({ ...october, dry_run: true });
    expect([dry.status, dry.body.status, dry.body.summary[0]?.tax_amount]).toEqual([200, 'dry_run', '11.40']);
    const { status, body } = await filer.close(october);
    expect([status, body.status]).toEqual([202, 'closing']);
    const closedNow = await settled(filer, body.id);
    expect([closedNow.status, closedNow.totals]).toEqual(['closed', dry.body.totals]);
    const entries = { expand: 'entries', limit: '1' };
    const page = await made(filer.filing(body.id, entries));
    expect([page.entries.data.length, page.entries.has_more]).toEqual([1, true]);
    expect((await filer.filing(body.id, {}, csv)).text.split('\r\n')).toHaveLength(4);
    expect((await made(filer.exceptions(body.id))).data).toEqual([]);
    expect((await filer.filing(body.id, entries, csv)).headers.has('link')).toBe(true);
    await made(filer.change(body.id, { status: 'filed', confirmation_number: 'MI-1' }));
    expect((await settled(filer, body.id)).status).toBe('filed');
    expect((await made(filer.filings({ status: 'filed', state: 'MI', limit: '1' }))).data).toHaveLength(1);
    expect((await made(filer.list({ status: 'filed' }))).data).toHaveLength(2);
  });

  it('when it is canceled, and closed again', async () => {
    const filer = await filerWith(1);
    const { body } = await filer.close({ ...october, colour: 'red' });
    expect(body.warnings.map(({ pointer }) => pointer)).toEqual(['/colour']);
    await settled(filer, body.id);
    expect((await filer.change(body.id, { status: 'canceled' })).status).toBe(202);
    expect(await settled(filer, body.id)).toMatchObject({ status: 'canceled', entries: null });
    const again = await filer.close(october);
    expect([again.status, again.body.id === body.id]).toEqual([202, false]);
  });
});

describe('the examples of filings work as they are', () => {
  const same = ({ id, asked_by, created_at, closed_at, filed_at, ...figures }: Record<string, unknown>) => ({
    ...figures,
    known: [id, asked_by, created_at, closed_at, filed_at].map((value) => typeof value),
  });

  it('closes and files the month of the example sale as in the examples', async () => {
    const filer = await filerWith(1);
    const dry = await filer.close(creation().requests.dryRun.value);
    expect(same(dry.body)).toEqual(same(filings.dryRun));
    const { body } = await filer.close(creation().requests.close.value);
    expect(same(body)).toEqual(same(filings.closing));
    expect(same(await settled(filer, body.id))).toEqual(same(filings.closed));
    const answer = await filer.change(body.id, change().requests.file.value);
    expect(same(answer.body)).toEqual(same(filings.marking));
    expect(same(await settled(filer, body.id))).toEqual(same(filings.filed));
  });
});
