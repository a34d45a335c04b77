// @isolated: modules cache an activated release, which changes the responses of every account.
/** Custom rules: import, responses, reports, later official imports and withdrawal, on a separate table. */
import { describe, expect, it } from 'vitest';
import { contentProgram } from '../../shared/cli/content.ts';
import { findHead } from '../../shared/store/content/content-store.ts';
import { fixture } from '../fixtures/imports/harness.ts';
import { boundaryRow, lines, rateRow } from '../fixtures/imports/sst.ts';
import { newCaller, newClient } from '../support/api.ts';
import { findActive } from '../support/content.ts';
import { readOutput } from '../support/run-command.ts';
import { buildCreditRequest, goods, later, made } from '../support/sales.ts';
import { saveFile } from '../support/temporary-files.ts';

const content = (...args: readonly string[]) => readOutput(contentProgram(), args);

const idIn = (out: string): string => /^Imported (\S+) /m.exec(out)?.[1] ?? '';

const importOwn = async (file: object, ...options: readonly string[]) => {
  const path = saveFile('own.json', JSON.stringify(file, null, 2));
  const out = await content('import', '--format', 'rules', '--file', path, ...options);
  return { out, id: idIn(out) };
};

const importSst = async (state: string, rates: string | Buffer, boundaries: string | Buffer) => {
  const files = [saveFile('R.csv', rates), saveFile('B.csv', boundaries)] as const;
  // A file with a few ZIPs changes a large share of them.
  const gates = ['--override', 'vanished,changed,largest,built-in,cases'];
  const out = await content(
    ...['import', '--format', 'sst', '--state', state, '--rates', files[0], '--boundaries', files[1], '--activate'],
    ...gates,
  );
  return { out, id: idIn(out) };
};

let minutes = 0;
/** Runs a function after instances have detected an activation, which takes up to a minute. */
const noticed = <Value>(run: () => Promise<Value>): Promise<Value> => {
  minutes += 2;
  return later(minutes * 60_000, run);
};

const tax_date = '2026-11-22';
const minneapolis = { city: 'Minneapolis', state: 'MN', postal_code: '55401', country: 'US' };

type Question = { readonly address?: object; readonly product?: string; readonly day?: string };

const calculate = (question: Question = {}) =>
  noticed(async () => {
    const { address = minneapolis, product = 'GENERAL', day = tax_date } = question;
    const { call } = await newCaller({ scopes: ['read', 'write'] });
    const line_items = [goods({ product_tax_code: product })];
    const { body } = await call('POST', '/calculations', {
      body: { tax_date: day, customer: { address }, line_items, explain: true },
    });
    return body;
  });
const readTax = async (question: Question = {}): Promise<string> => (await calculate(question)).tax_amount;

const sources = {
  ruling: 'Minnesota Department of Revenue, letter ruling 24-001',
  ordinance: 'Minneapolis, ordinance 2026-041, section 3',
};
const own = {
  state: 'MN',
  sources,
  jurisdictions: [
    { code: 'US-MN-OWN-NICOLLET', name: 'Nicollet Mall district', type: 'district', zips: [['55401', '55403']] },
  ],
  rates: [{ jurisdiction: 'US-MN-OWN-NICOLLET', rate: '0.005', from: '2026-11-01', source: 'ordinance' }],
  rules: [
    { id: 'mn-own-books', ptcs: ['DIGITAL'], effect: { type: 'exempt' }, from: '2026-11-01', source: 'ruling' },
    {
      id: 'mn-clothing',
      ptcs: ['CLOTHING.APPAREL'],
      effect: { type: 'taxable' },
      from: '2026-11-15',
      source: 'ruling',
    },
  ],
};

describe('custom rules over the built-in release', () => {
  it('changes nothing on a dry run and before the rules are active', async () => {
    const { out } = await importOwn(own, '--dry-run');
    expect(out).toContain('Rule mn-own-books (DIGITAL): exempt, from 2026-11-01.');
    expect(out).toContain('rule mn-clothing replaces the built-in rule with this id');
    expect(out).toContain('Dry run: a release with 2 rules and 1 rate was not written.');
    expect(await content('list', '--state', 'MN')).not.toContain('own');
    const { id } = await importOwn(own);
    expect(await findHead(id)).toMatchObject({ format: 'rules', chain: [], counts: { parts: 0 } });
    expect(await findActive('MN')).toBe(null);
    // The built-in rate of Minneapolis is 9.025 %.
    expect(await readTax()).toBe('9.03');
    expect(await readTax({ product: 'DIGITAL.EBOOKS' })).toBe('9.03');
    expect(await readTax({ product: 'CLOTHING.APPAREL' })).toBe('0.00');
    expect((await importOwn(own)).out).toContain(`${id} already has the same content`);
  });

  it('applies custom rules before the content on their days and in their ZIPs', async () => {
    const { out } = await importOwn(own, '--activate');
    expect(out).toContain('Combined rates of 3 ZIPs and cities change');
    expect(out).toContain('(55401 from 9.025% to 9.525%');
    expect(await readTax()).toBe('9.53');
    expect(await readTax({ day: '2026-10-31' })).toBe('9.03');
    expect(await readTax({ address: { ...minneapolis, postal_code: '55408' } })).toBe('9.03');
    expect(await readTax({ product: 'DIGITAL.EBOOKS' })).toBe('0.00');
    expect(await readTax({ product: 'DIGITAL.EBOOKS', day: '2026-10-31' })).toBe('9.03');
    expect(await readTax({ product: 'CLOTHING.APPAREL' })).toBe('9.53');
    // The content's rule with the same id also exempts footwear. The custom rule replaces it from its first day.
    expect(await readTax({ product: 'CLOTHING.FOOTWEAR' })).toBe('9.53');
    expect(await readTax({ product: 'CLOTHING.FOOTWEAR', day: '2026-11-14' })).toBe('0.00');
    expect(await readTax({ product: 'CLOTHING.APPAREL', day: '2026-11-14' })).toBe('0.00');
  });

  it('marks custom rules in the explanation, with their source texts', async () => {
    const { explanation } = await calculate();
    const find = (step: string, text: string) =>
      explanation?.find((one) => one.step === step && one.text.includes(text));
    expect(find('jurisdictions', 'Nicollet')?.text).toContain('Nicollet Mall district (district, from custom rules)');
    expect(find('rate', 'Nicollet')?.citation).toBe(`Own rules: ${sources.ordinance}`);
    const ebooks = (await calculate({ product: 'DIGITAL.EBOOKS' })).explanation;
    const rule = ebooks?.find((one) => one.rule_id === 'mn-own-books');
    expect(rule?.text).toContain('(rule mn-own-books, an own rule, in force since 2026-11-01)');
    expect(rule?.citation).toBe(`Own rules: ${sources.ruling}`);
  });

  it('includes custom rules in list, show, diff, verify and GET /coverage', async () => {
    const id = (await findActive('MN')) ?? '';
    // The numbers count parts, jurisdictions and rates.
    expect(await content('list', '--state', 'MN')).toMatch(new RegExp(`\\* +${id} +own +complete +0 +1 +1 `));
    const shown = await content('show', id, '--zip', '55401', '--date', tax_date);
    expect(shown).toContain('Coverage: complete\n');
    expect(shown).not.toContain('State rate: 0.5%');
    expect(shown).toContain('Own: Rate of Nicollet Mall district (US-MN-OWN-NICOLLET): 0.5%');
    expect(shown).toContain('Own: Rule mn-own-books (DIGITAL): exempt, from 2026-11-01');
    expect(shown).toContain(`Source own:ruling: Own rules: ${sources.ruling}`);
    expect(shown).toContain('Custom rules add Nicollet Mall district (US-MN-OWN-NICOLLET): 0.5% on 2026-11-22');
    const compared = await content('diff', 'US-MN@2026-11-22.1', id);
    expect(compared).toContain('Rule mn-own-books (DIGITAL): none -> exempt, from 2026-11-01, custom rule');
    expect(compared).toMatch(/US-MN-OWN-NICOLLET +Nicollet Mall district +from 2026-11-01 +none -> 0.5%/);
    expect(compared).toContain(`Source own:ruling: ${sources.ruling}`);
    expect(await content('verify', id)).toContain(`${id}: 0 parts, no problems.`);
    const { call } = await newCaller({ scopes: ['read'] });
    const [state] = (await call('GET', '/coverage?state=MN')).body.states;
    expect(state?.release).toBe(id);
    expect(state?.local.basis).toBe('by_place');
    expect(state?.notes).toContain(
      'Custom rules take precedence over the content. Rules: 2 (mn-own-books, mn-clothing). Rates: 1. Settings: 0.',
    );
    expect(state?.digital_goods.citations).toContain(`Own rules: ${sources.ruling}`);
  });
});

const minnesota = (tax: string) =>
  lines(rateRow('27', '45', '27', '0.06875', '20090701'), rateRow('27', '00', '053', tax, '20240101'));
const zip55401 = lines(boundaryRow({ zips: ['55401', '', '55401', ''], state: '27', county: '053', from: '20240101' }));

describe('later official imports', () => {
  it('keeps custom rules in force over the rates of the import', async () => {
    const over = await findActive('MN');
    const { id, out } = await importSst('MN', minnesota('0.01'), zip55401);
    expect(await findHead(id)).toMatchObject({ below: over, chain: [], own: { rules: [{}, {}] } });
    expect(out).toContain('(55401 from 9.525% to 8.375%');
    // The rates are 6.875 % for the state, 1 % for the county, and 0.5 % for the custom district.
    expect(await readTax()).toBe('8.38');
    expect(await readTax({ product: 'DIGITAL.EBOOKS' })).toBe('0.00');
    expect(await content('list', '--state', 'MN')).toMatch(new RegExp(`\\* +${id} +sst \\+ own `));
  });

  it('keeps the calculation of earlier transactions, even after custom rules are withdrawn', async () => {
    const client = await newClient();
    const address = { customer: { address: minneapolis } };
    const line_items = [goods(), goods({ product_tax_code: 'DIGITAL.EBOOKS' })];
    const sold = await noticed(() => made(client.create({ tax_date, status: 'finalized', ...address, line_items })));
    expect(sold.tax_amount).toBe('8.38');
    await importSst('MN', minnesota('0.02'), zip55401);
    expect(await readTax()).toBe('9.38');
    await importOwn({ state: 'MN' }, '--activate');
    expect([await readTax(), await readTax({ product: 'DIGITAL.EBOOKS' })]).toEqual(['8.88', '8.88']);
    const replay = await noticed(() => made(client.call('POST', `/transactions/${sold.id}/replay`)));
    expect([replay.match, replay.differences]).toEqual([true, []]);
    const credit = await noticed(() => made(client.create(buildCreditRequest(sold))));
    expect(credit.content_releases).toEqual(sold.content_releases);
    await content('rollback', '--state', 'MN');
  });

  it('keeps a custom rate for a jurisdiction of the file', async () => {
    const county = { jurisdiction: 'US-MN-00-053', rate: '0.03', from: '2026-11-15', source: 'ordinance' };
    const { out, id } = await importOwn({ state: 'MN', sources, rates: [county] }, '--activate');
    expect(out).toContain('Withdrawn: Rule mn-own-books (DIGITAL): exempt, from 2026-11-01.');
    expect(out).toContain('No longer applies: Rate of Nicollet Mall district');
    expect((await findHead(id))?.chain).toHaveLength(1);
    expect(await readTax()).toBe('9.88');
    expect(await readTax({ day: '2026-11-14' })).toBe('8.88');
    // The file does not list this ZIP: 9.025 % from the tables, including 0.15 % for the county.
    expect(await readTax({ address: { ...minneapolis, postal_code: '55408' } })).toBe('11.88');
    expect(await readTax({ product: 'DIGITAL.EBOOKS' })).toBe('9.88');
    const { call } = await newCaller({ scopes: ['read'] });
    const [state] = (await call('GET', '/coverage?state=MN')).body.states;
    expect([state?.local.basis, state?.local.areas]).toEqual(['by_file', 1]);
    await importSst('MN', minnesota('0.005'), zip55401);
    expect(await readTax()).toBe('9.88');
    expect(await readTax({ day: '2026-11-14' })).toBe('7.38');
  });
});

describe('empty files', () => {
  it('withdraws custom rules, and restores them on a rollback', async () => {
    const before = await findActive('MN');
    await importOwn({ state: 'MN' }, '--activate');
    expect(await readTax()).toBe('7.38');
    expect(await content('list', '--state', 'MN')).not.toMatch(/^\* +\S+ +sst/m);
    const rolledBack = await content('rollback', '--state', 'MN');
    expect(rolledBack).toContain(`${before} is active again`);
    expect(rolledBack).toContain('Applies again: Rate of');
    expect(rolledBack).not.toContain('No longer applies');
    expect(await readTax()).toBe('9.88');
  });
});

describe('custom rules with street addresses', () => {
  const wauwatosa = { state: 'WI', postal_code: '53213', country: 'US' };
  const at = (line1: string | null) => ({ address: { ...wauwatosa, line1 } });

  it("adds custom taxes to the street's taxes, and applies custom rules there", async () => {
    const [rates, boundaries] = [fixture('WIR2026Q2FEB18.csv'), fixture('WIB2026Q2FEB18.csv')];
    await importSst('WI', rates.content, boundaries.content);
    expect(await readTax(at('150 Main St'))).toBe('7.90');
    const evidence = { from: '2026-11-01', source: 'fee' };
    const mall = { code: 'US-WI-OWN-MALL', name: 'Mall district', type: 'district', zips: [['53213', '53213']] };
    await importOwn(
      {
        state: 'WI',
        sources: { fee: 'Wauwatosa, ordinance O-26-7' },
        jurisdictions: [mall],
        rates: [{ jurisdiction: mall.code, rate: '0.01', ...evidence }],
        rules: [{ id: 'wi-own-books', ptcs: ['PRINT.BOOKS'], effect: { type: 'exempt' }, ...evidence }],
      },
      '--activate',
    );
    const response = async (question: Question) => {
      const { tax_amount, line_items } = await calculate(question);
      const resolution = line_items[0]?.address_resolution;
      return [tax_amount, resolution?.level, resolution?.ambiguous];
    };
    expect(await response(at('150 Main St'))).toEqual(['8.90', 'street', false]);
    expect(await response(at('300 Main St'))).toEqual(['6.90', 'zip5', false]);
    expect(await response(at(null))).toEqual(['6.90', 'zip5', true]);
    expect((await response({ ...at('150 Main St'), product: 'PRINT.BOOKS' }))[0]).toBe('0.00');
  });
});
