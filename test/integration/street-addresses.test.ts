// @isolated: modules cache an activated release, which changes the responses of every account.

import { beforeAll, expect, it } from 'vitest';
import { contentProgram } from '../../shared/cli/content.ts';
import { environment } from '../../shared/config/environment.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { fixture, getHead, importFiles, withFiles } from '../fixtures/imports/harness.ts';
import { newCaller } from '../support/api.ts';
import { intercept } from '../support/faults.ts';
import { runInProcess } from '../support/run-command.ts';
import { goods } from '../support/sales.ts';

const content = async (...args: readonly string[]) => {
  const { code, out, err } = await runInProcess(contentProgram(), args);
  return code === 0 ? out : err;
};

let calls: string[] = [];
beforeAll(async () => {
  const imported = await importFiles('sst', 'WI', [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')]);
  const head = { ...getHead(imported), id: 'US-WI@2030-01-01.1' };
  expect(await store.importRelease(head, [...imported.parts.values()])).toMatchObject({ ok: true });
  const active = await store.readActiveReleases();
  expect((await store.activateRelease('US-WI', head.id, active, '2030-01-01T00:00:00.000Z')).ok).toBe(true);
  intercept(({ command, input, pass }) => {
    const { TableName, RequestItems = {} } = input as { TableName?: string; RequestItems?: object };
    if ([TableName, ...Object.keys(RequestItems)].includes(environment.tables.content)) calls.push(command);
    return pass();
  });
});

const wauwatosa = { state: 'WI', postal_code: '53213', country: 'US' };
const at = (line1: string | null) => ({ customer: { address: { ...wauwatosa, line1 } } });
const tax_date = '2026-11-22';

it('street addresses determine the tax of a calculation, with the calls of a ZIP look-up', async () => {
  const { call } = await newCaller();
  const calculate = async (request: object) => {
    calls = [];
    const { body } = await call('POST', '/calculations', {
      body: { tax_date, line_items: [goods()], ...request },
    });
    return [body.tax_amount, body.line_items[0]?.address_resolution, body.warnings.length, calls];
  };
  const complete = { coverage: 'complete' };
  expect(await calculate(at('150 Main Street'))).toEqual([
    ...['7.90', { level: 'street', ambiguous: false, ...complete }, 0],
    ['GetItem', 'BatchGetItem'],
  ]);
  expect(await calculate(at('300 Main St'))).toEqual(['5.90', { level: 'zip5', ambiguous: false, ...complete }, 0, []]);
  expect(await calculate(at(null))).toEqual(['5.90', { level: 'zip5', ambiguous: true, ...complete }, 1, []]);
  const both = { ...at(null), line_items: [goods(at('150 Main St')), goods(at('300 Main St'))] };
  expect(await calculate(both)).toEqual(['13.80', { level: 'street', ambiguous: false, ...complete }, 0, []]);
});

it('street addresses determine the rates of an address', async () => {
  const { call } = await newCaller({ scopes: ['read'] });
  const ratesAt = async (query: Record<string, string>) => {
    const { body } = await call(
      'GET',
      `/rates?${new URLSearchParams({ postal_code: '53213', date: tax_date, ...query })}`,
    );
    const codes = body.jurisdictions.map((one) => one.jurisdiction_code);
    return [body.combined_rate, body.address_resolution.level, body.address_resolution.ambiguous, codes.length];
  };
  expect(await ratesAt({ line1: '150 Main St' })).toEqual(['0.079', 'street', false, 3]);
  expect(await ratesAt({ line1: '300 Main St' })).toEqual(['0.059', 'zip5', false, 2]);
  expect(await ratesAt({})).toEqual(['0.059', 'zip5', true, 2]);
});

it('street addresses are imported, printed, verified and compared by the CLI', async () => {
  const files = [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')];
  const out = await withFiles(files, ([rates = '', boundaries = '']) =>
    content('import', '--format', 'sst', '--state', 'WI', '--rates', rates, '--boundaries', boundaries),
  );
  expect(out).toContain('Street-address rows cover 1 ZIP.');
  const id = /^Imported (\S+) /m.exec(out)?.[1] ?? '';
  expect(await content('show', id, '--zip', '53213')).toContain('53213: 2 locations, 1 street range');
  expect(await content('verify', id)).toContain(id);
  expect(await content('verify', id)).not.toContain('corrupt');
  expect(await content('diff', 'US-WI@2030-01-01.1', id, '--rates')).not.toContain('53213');
});
