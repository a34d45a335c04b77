import { describe, expect, it } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import { firstDay, lastDay } from '../../shared/base/calendar.ts';
import nexus from '../../shared/catalog/economic-nexus.json' with { type: 'json' };
import type { Sum } from '../../shared/ledger/entries/entry.ts';
import { registrationAdvice, windowsIn } from '../../shared/registrations/advice.ts';
import type { NexusTerms } from '../../shared/registrations/response.ts';
import type { StoredRow } from '../../shared/reports/by-state.ts';

const december2026 = 2026 * 12 + 11;
const terms = nexus.states as Readonly<Record<string, NexusTerms>>;
const windowsText = (state: string, month: number) =>
  windowsIn((terms[state] as NexusTerms).period, month).map(
    ({ first, last, countsFrom }) =>
      `${firstDay(first)} ${lastDay(last)} ${countsFrom === null ? 'now' : firstDay(countsFrom)}`,
  );

describe('the measuring periods', () => {
  // Calculated by hand from the states' rules.
  it.each([
    ['KS', 'the calendar year before, and the running one', ['2025-01-01 2025-12-31 now', '2026-01-01 2026-11-30 now']],
    ['FL', 'the calendar year before', ['2025-01-01 2025-12-31 now', '2026-01-01 2026-11-30 2027-01-01']],
    ['CT', 'twelve months to September', ['2025-10-01 2026-09-30 now', '2026-10-01 2026-11-30 2027-10-01']],
    ['TX', 'twelve months', ['2025-11-01 2026-10-31 now', '2025-12-01 2026-11-30 2026-12-01']],
    ['MN', 'twelve months to the last quarter', ['2025-10-01 2026-09-30 now', '2026-01-01 2026-11-30 2027-01-01']],
    ['NY', 'four quarters that end in February', ['2025-09-01 2026-08-31 now', '2025-12-01 2026-11-30 2026-12-01']],
  ])('measures %s in November 2026 by %s', (state, _, expected) => {
    expect(windowsText(state, december2026 - 1)).toEqual(expected);
  });

  it('moves the quarters of New York a month later', () => {
    expect(windowsText('NY', december2026)).toEqual(['2025-12-01 2026-11-30 now', '2026-03-01 2026-12-31 2027-03-01']);
  });

  it('measures at most twelve months, ends as the state requires, and skips no month', () => {
    for (const [state, { period }] of Object.entries(terms))
      for (let month = 2025 * 12; month < 2029 * 12; month++) {
        const [over, running] = windowsIn(period, month);
        expect([state, over.last - over.first, running.last]).toEqual([state, 11, month]);
        expect((over.last + 1 - period.ends_with_month) % period.months_between_ends).toBe(0);
        expect(running.first).toBeLessThanOrEqual(over.last + 1);
        expect(running.last - running.first).toBeLessThan(12);
      }
  });
});

const account = newAccount({ name: 'Test', serviceVersion: '2026-10-01', createdMs: 0 });
const nothing: Sum = { taxable: 0n, exempt: 0n, tax: 0n, count: 0 };
type Sold = Partial<Sum> & { readonly count: number };
const buildRow = (state: string, month: string, sum: Sold): StoredRow => ({
  state: `US-${state}`,
  month,
  currency: 'USD',
  updatedAt: '2026-11-01T00:00:00.000Z',
  sales: { ...nothing, ...sum },
  // Credits are not subtracted.
  credits: { ...nothing, taxable: 9_000_000n, count: 5 },
});
const adviceFor = async (state: string, sum: Sold, month = '2026-06') => {
  const rows = async () => [buildRow(state, month, sum)];
  const { data } = await registrationAdvice(account, { reports: { rows }, now: () => Date.parse('2026-11-15') });
  const found = data.find((advice) => advice.state === `US-${state}`);
  return { status: found?.status, shares: found?.periods.map(({ share_reached }) => share_reached) };
};

describe('thresholds', () => {
  const much = 90_000_000n;
  it.each([
    ['KS: over 100,000', 'KS', { taxable: 10_000_000n, count: 1 }, 'approaching'],
    ['KS: a cent more', 'KS', { taxable: 10_000_001n, count: 1 }, 'reached'],
    ['IA: at least 100,000', 'IA', { taxable: 10_000_000n, count: 1 }, 'reached'],
    ['GA: 200 transactions suffice', 'GA', { taxable: 100n, count: 200 }, 'reached'],
    ['GA: 199 do not', 'GA', { taxable: 100n, count: 199 }, 'approaching'],
    ['CT needs both: only the amount', 'CT', { taxable: 99_000_000n, count: 199 }, 'approaching'],
    ['CT needs both', 'CT', { taxable: 10_000_000n, count: 200 }, 'reached'],
    ['NY needs more than 100 sales', 'NY', { taxable: much, count: 100 }, 'approaching'],
    ['NY: 101 sales', 'NY', { taxable: much, count: 101 }, 'reached'],
    ['CO is about retail sales: resale does not count', 'CO', { exempt: much, resale: much, count: 1 }, 'below'],
    ['KS is about gross sales: resale counts', 'KS', { exempt: much, resale: much, count: 1 }, 'reached'],
    ['ND is about taxable sales: exempt ones do not count', 'ND', { exempt: much, count: 1 }, 'below'],
    ['ND: unregistered sales may be taxable', 'ND', { exempt: much, not_registered: much, count: 1 }, 'reached'],
    ['IN leaves out marketplaces', 'IN', { exempt: much, marketplace: much, count: 1 }, 'below'],
    ['KS counts marketplaces', 'KS', { exempt: much, marketplace: much, count: 1 }, 'reached'],
    ['GA leaves out transactions of marketplaces', 'GA', { count: 350, marketplace_count: 151 }, 'approaching'],
    ['GA: 200 others suffice', 'GA', { count: 350, marketplace_count: 150 }, 'reached'],
    ['NJ counts transactions of marketplaces', 'NJ', { count: 200, marketplace_count: 200 }, 'reached'],
    ['FL counts the year before, so this year comes later', 'FL', { taxable: much, count: 1 }, 'upcoming'],
  ] as const)('%s', async (_, state, sum, status) => {
    expect((await adviceFor(state, sum)).status).toBe(status);
  });

  it('reports a threshold that the previous year reached if that year counts, but not the year before', async () => {
    expect((await adviceFor('FL', { taxable: much, count: 1 }, '2025-03')).status).toBe('reached');
    expect((await adviceFor('FL', { taxable: much, count: 1 }, '2024-12')).status).toBe('below');
  });

  it('rounds a share down, so it is 1 only when the threshold is reached', async () => {
    expect((await adviceFor('IA', { taxable: 9_999_999n, count: 1 })).shares?.[1]).toBe('0.9999');
  });
});

it('names sales that were recorded before a registration that covers their month was set', async () => {
  const registrations = [{ state: 'KY', from: '2026-06-15', to: null, frequency: 'month' as const }];
  const registered = { ...account, settings: { ...account.settings, registrations } };
  const sumWith = (amount: bigint): Sum => ({ ...nothing, exempt: amount, not_registered: amount, count: 1 });
  const sold = (month: string, sales: bigint, credits: bigint, currency = 'USD'): StoredRow => ({
    ...buildRow('KY', month, sumWith(sales)),
    currency,
    credits: sumWith(credits),
  });
  const adviceOn = async (...found: readonly StoredRow[]) => {
    const reports = { rows: async () => found };
    const { data } = await registrationAdvice(registered, { reports, now: () => Date.parse('2026-11-15') });
    return data.find(({ state }) => state === 'US-KY');
  };
  // The registration begins within June, so sales without tax are expected there.
  const none = { status: 'registered', advice: 'No action: the account is registered in Kentucky.' };
  expect(await adviceOn(sold('2026-06', 10_000n, 0n), sold('2026-09', 500n, 500n))).toMatchObject(none);
  const found = await adviceOn(
    sold('2026-07', 10_000n, 2500n),
    sold('2026-08', 100n, 0n),
    sold('2026-08', 70n, 0n, 'JPY'),
  );
  expect(found?.status).toBe('registered_later');
  expect(found?.advice).toMatch(/^Void sales of 76\.00 USD and 70 JPY since 2026-07 and record them again/);
});

it('warns about another currency only if it has sales', async () => {
  const readWarnings = async (count: number) => {
    const rows = async () => [{ ...buildRow('MI', '2026-06', { count }), currency: 'EUR' }];
    const { warnings } = await registrationAdvice(account, { reports: { rows }, now: () => Date.parse('2026-11-15') });
    return warnings.map(({ code }) => code).filter((code) => code === 'currency_not_counted');
  };
  expect(await readWarnings(1)).toEqual(['currency_not_counted']);
  // The sales were voided.
  expect(await readWarnings(0)).toEqual([]);
});

it('contains every state with a sales tax, with a separate source', () => {
  const states = Object.entries(nexus.states);
  expect(states).toHaveLength(48);
  for (const without of ['DE', 'MT', 'NH', 'OR']) expect(nexus.states).not.toHaveProperty(without);
  for (const [state, terms] of states) {
    expect([state, terms.source.length > 10]).toEqual([state, true]);
    expect([state, terms.sales_amount]).toEqual([state, expect.stringMatching(/^\d{6}$/)]);
    expect([state, terms.requires === 'sales']).toEqual([state, terms.transaction_count === null]);
    // If the note contains a comparison, `sales_reached_at` must match it.
    const isAtLeast = /^at least|at least \d|so at least|; at least/.test(terms.note);
    if (/\bover\b/.test(terms.note)) expect([state, terms.sales_reached_at]).toEqual([state, 'over']);
    else if (isAtLeast) expect([state, terms.sales_reached_at]).toEqual([state, 'at_least']);
  }
});
