import { expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor } from '../../shared/content/built-in.ts';

const registeredIn = (state: string) => ({
  ...defaultSettings('aspen.2026-10-01'),
  incomplete_coverage: 'reject' as const,
  registrations: [{ state, from: '2020-01-01', to: null, frequency: 'month' as const }],
});
const ask = (state: string, registered: string) =>
  calculate(
    {
      tax_date: '2026-10-08',
      customer: { address: { state } },
      line_items: [{ quantity: '1', unit_price: '10.00' }],
    },
    { settings: registeredIn(registered), releaseFor: builtInReleaseFor, now: Date.parse('2026-10-08') },
    [],
  );

it('a place whose local rates are missing is rejected only where the account collects', () => {
  const collecting = ask('TX', 'TX');
  const elsewhere = ask('TX', 'MI');
  expect(collecting.ok ? [] : collecting.problems.map(({ code }) => code)).toEqual(['validation_not_covered']);
  expect(elsewhere.ok && elsewhere.value.line_items[0]?.taxes[0]?.taxability_reason).toBe('not_collecting');
});
