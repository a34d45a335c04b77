/** Cases from public bug reports, with the results that the states publish. */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { shippingList } from '../../shared/calculations/charges.ts';
import type { CalculationInput } from '../../shared/calculations/request.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import type { RatesQuery } from '../../shared/rates/rates.ts';
import { findRates } from '../../shared/rates/rates.ts';
import cases from '../fixtures/public-cases.json' with { type: 'json' };

type Answer = {
  readonly tax?: string;
  readonly shipping_taxable?: string;
  readonly warning?: string;
  readonly coverage_not?: string;
  readonly combined?: string;
  readonly part?: { readonly name: string; readonly rate: string };
};
type Case = {
  readonly id: string;
  readonly why: string;
  readonly source: string;
  readonly request: { readonly calculation?: CalculationInput; readonly rates?: RatesQuery };
  /** The accepted results; one of them is expected. */
  readonly accepted: readonly Answer[];
};

const now = Date.parse('2026-11-26T12:00:00Z');
const settings = defaultSettings('2026-10-08');

const accepted = <Value>(result: { ok: true; value: Value } | { ok: false; problems: readonly unknown[] }): Value => {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

/** The actual result, in the fields of an accepted result. */
const answerOf = (request: CalculationInput) => {
  const outcome = accepted(calculate(request, { settings, releaseFor: builtInReleaseFor, now }, []));
  return {
    tax: outcome.tax_amount,
    shipping_taxable: shippingList(outcome.shipping)[0]?.taxable_amount,
    warnings: outcome.warnings.map(({ code }): string => code),
    coverage: outcome.line_items[0]?.address_resolution.coverage,
    parts: [] as readonly object[],
  };
};
const ratesOf = async (query: RatesQuery): Promise<ReturnType<typeof answerOf> & { combined?: string | null }> => {
  const content = { loadContent: async () => builtInReleaseFor, now: () => now };
  const rates = accepted(await findRates({ ...query, date: '2026-11-20' }, settings, content));
  return {
    tax: '',
    shipping_taxable: undefined,
    combined: rates.combined_rate,
    warnings: rates.warnings.map(({ code }) => code),
    coverage: rates.address_resolution.coverage,
    parts: rates.jurisdictions.map(({ jurisdiction_name, rate }) => ({ name: jurisdiction_name, rate })),
  };
};

const isGiven = (
  { tax, shipping_taxable, warning, coverage_not, combined, part }: Answer,
  given: Awaited<ReturnType<typeof ratesOf>>,
): boolean =>
  (tax === undefined || tax === given.tax) &&
  (shipping_taxable === undefined || shipping_taxable === given.shipping_taxable) &&
  (warning === undefined || given.warnings.includes(warning)) &&
  (coverage_not === undefined || coverage_not !== given.coverage) &&
  (combined === undefined || combined === given.combined) &&
  (part === undefined || given.parts.some((one) => JSON.stringify(one) === JSON.stringify(part)));

describe('the public case', () => {
  it.each(cases as readonly Case[])('$id: $why ($source)', async ({ request: { calculation, rates }, accepted }) => {
    const given = calculation ? answerOf(calculation) : await ratesOf(rates as RatesQuery);
    expect([accepted, accepted.some((answer) => isGiven(answer, given)) || given]).toEqual([accepted, true]);
  });
});
