/** Transactions that an earlier version recorded replay to the same amounts, as `POST /transactions/{id}/replay` does it. */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { LineItemResponse, TaxRowResponse } from '../../shared/calculations/response.ts';
import { differencesOf, type Figures } from '../../shared/transactions/replay/differences.ts';
import { replayTransaction } from '../../shared/transactions/replay/replay-transaction.ts';
import type { Replay } from '../../shared/transactions/replay/response.ts';
import type { StoredTransaction, Transaction } from '../../shared/transactions/transaction.ts';
import { contentOf } from '../fixtures/replay/content.ts';
import { readRecording } from '../fixtures/replay/recording.ts';

const { commit, releases, transactions } = readRecording();
const loadContent = contentOf(releases);
const byId = new Map(transactions.map((stored) => [stored.transaction.id, stored]));
const account = { id: 'acct_replay', settings: defaultSettings('aspen.2026-10-01') };

const describeTransaction = ({ id, tax_date, customer, line_items, shipping }: Transaction): string => {
  const products = line_items.slice(0, 3).map(({ product_tax_code }) => product_tax_code ?? 'no code');
  const charge = shipping ? `, shipping ${shipping.product_tax_code ?? 'without a code'}` : '';
  return `${id} (${tax_date}, ${JSON.stringify(customer?.address)}, ${products.join(', ')}${charge})`;
};

const replayOf = async (stored: StoredTransaction): Promise<Replay> => {
  const { id } = stored.transaction;
  // A credit is computed from its sale.
  const find = async (_: string, wanted: string) => (wanted === id ? stored : byId.get(wanted));
  const result = await replayTransaction(id, account, { ledger: { find }, loadContent, now: () => 0 });
  if (!result.ok) throw new Error('It is not in the recording.');
  return result.value;
};

const shownMax = 4;

const describeDifferences = ({ detail, difference_count, differences }: Replay): string => {
  if (detail !== null) return detail;
  const shown = differences
    .slice(0, shownMax)
    .map(({ pointer, recorded, replayed }) => `${pointer} was ${recorded}, is ${replayed}`);
  const others = difference_count > shownMax ? [`${difference_count - shownMax} more`] : [];
  return [...shown, ...others].join('; ');
};

/** Replays a transaction: its description with what differs, or `null` where nothing does. */
const differenceOf = async (stored: StoredTransaction): Promise<string | null> => {
  try {
    const replay = await replayOf(stored);
    return replay.match === true ? null : `${describeTransaction(stored.transaction)}: ${describeDifferences(replay)}`;
  } catch (error) {
    return `${describeTransaction(stored.transaction)}: ${error}`;
  }
};

const differencesIn = async (group: readonly StoredTransaction[]): Promise<string[]> =>
  (await Promise.all(group.map(differenceOf))).filter((difference) => difference !== null);

const groups = [
  ...Map.groupBy(transactions, ({ transaction: { id } }) => id.split(/ (?:sale|fixed) /, 1)[0] as string),
];

describe(`transactions recorded at ${commit.slice(0, 7)}`, () => {
  it.each(groups)('replay to the same amounts: %s', async (_, group) => {
    const differences = await differencesIn(group);
    expect(differences.slice(0, 5), `${differences.length} of ${group.length} differ`).toEqual([]);
  });

  it.each<[string, string, (line: LineItemResponse) => unknown]>([
    ['a tax', '/line_items/0/tax_amount', (line) => Object.assign(line, { tax_amount: '0.01' })],
    [
      'a rate',
      '/line_items/0/taxes/0/rate',
      (line) => Object.assign(line.taxes[0] as TaxRowResponse, { rate: '0.07' }),
    ],
  ])('name the transaction and the field where %s differs', async (_, pointer, change) => {
    const stored = structuredClone(byId.get('US-MN@2026-11-21.1 fixed 3')) as StoredTransaction;
    change(stored.transaction.line_items[0] as LineItemResponse);
    const difference = await differenceOf(stored);
    expect(difference).toContain(`${stored.transaction.id} (`);
    expect(difference).toContain(`: ${pointer} was `);
    expect(difference).not.toContain(';');
  });
});

describe('reporting codes', () => {
  const figuresOf = (id: string): Figures => (byId.get(id) as StoredTransaction).transaction;
  const recorded = figuresOf('US-MN@2026-11-21.1 fixed 3');
  const withCode = (reporting_code: string | null): Figures => {
    const figures = structuredClone(recorded);
    Object.assign(figures.line_items[0]?.taxes[0] as TaxRowResponse, { reporting_code });
    return figures;
  };

  it('are compared only where they were recorded', () => {
    expect(recorded.line_items[0]?.taxes[0]).not.toHaveProperty('reporting_code');
    expect(differencesOf(recorded, withCode('7037'))).toEqual([]);
    expect(differencesOf(withCode('7058'), withCode('7037'))).toEqual([
      { pointer: '/line_items/0/taxes/0/reporting_code', recorded: '7058', replayed: '7037' },
    ]);
  });
});

/** What would go unnoticed if the recording did not have it. */
describe('the recording', () => {
  const all = transactions.map(({ transaction }) => transaction);
  const lines = all.flatMap(({ line_items }) => line_items);
  const pinned = new Set(all.flatMap(({ content_releases }) => Object.values(content_releases)));
  const pinnedOn = (pattern: RegExp): number => [...pinned].filter((id) => pattern.test(id)).length;

  it('has every release of November, older ones, and every import', () => {
    expect([pinnedOn(/@2026-11-21\.1$/), pinnedOn(/@2026-10-01\.1$/)]).toEqual([52, 12]);
    expect(releases.map(({ head }) => head.id).filter((id) => !pinned.has(id))).toEqual([]);
    expect(new Set(releases.map(({ head }) => head.format)).size).toBe(5);
    expect(releases.filter(({ head }) => 'below' in head)).toEqual([]);
  });

  it('has every reason and precision', () => {
    const reasons = new Set(lines.flatMap(({ taxes }) => taxes.map(({ taxability_reason }) => taxability_reason)));
    // All but portion_reduced_rated, which no release leads to.
    expect(reasons.size).toBe(14);
    const resolutions = new Set(lines.map(({ address_resolution: { level, coverage } }) => `${level} ${coverage}`));
    const levels = ['zip9', 'zip5', 'city', 'state'];
    const expected = levels.flatMap((level) =>
      ['complete', 'partial', 'none'].map((coverage) => `${level} ${coverage}`),
    );
    expect(resolutions).toEqual(new Set([...expected, 'none none']));
  });

  it('has imports that do not cover an address, which is taxed 0.00', () => {
    const imported = all.filter(({ content_releases }) =>
      releases.some(({ head }) => content_releases[head.state] === head.id),
    );
    const uncovered = imported
      .flatMap(({ line_items }) => line_items)
      .filter(({ address_resolution: { level } }) => level === 'none');
    expect(uncovered.length).toBeGreaterThan(200);
    expect(uncovered.filter(({ taxable_amount }) => Number(taxable_amount) > 0)).toEqual([]);
  });

  it.each<[string, (stored: StoredTransaction) => boolean]>([
    ['invoice rounding', ({ pinned: { rounding } }) => rounding === 'invoice'],
    ['the highest rate', ({ pinned: { ambiguous_address } }) => ambiguous_address === 'highest_rate'],
    ['included tax', ({ transaction: { tax_included } }) => tax_included],
    ['shipping', ({ transaction: { shipping } }) => shipping !== null],
    ['discounts', ({ transaction: { discount_amount } }) => discount_amount !== null],
    ['another currency', ({ transaction: { currency } }) => currency !== 'USD'],
    ['a marketplace', ({ transaction: { collected_by } }) => collected_by === 'marketplace'],
    ['an exempt customer', ({ transaction: { customer } }) => Boolean(customer?.exemption)],
    ['an origin', ({ transaction: { ship_from } }) => ship_from !== null],
    ['supplied tax', ({ transaction: { tax_amount_source } }) => tax_amount_source === 'provided'],
    ['credits', ({ creditBasis }) => creditBasis !== undefined],
    ['several states', ({ transaction: { content_releases } }) => Object.keys(content_releases).length > 1],
    ['a day before all content', ({ transaction: { tax_date } }) => tax_date < '2016'],
  ])('has transactions with %s', (_, has) => {
    expect(transactions.filter(has).length).toBeGreaterThan(30);
  });
});
