import { defaultSettings } from '../../accounts/account.ts';
import type { Context } from '../../calculations/document.ts';
import type { CalculationInput } from '../../calculations/request.ts';
import type { Jurisdiction, Release } from '../../content/release.ts';

/**
 * Content and documents of the bench's own: one place where a state, a county, a city and a district tax. The built-in
 * content changes with the law; what is measured here stays the same from one version to the next.
 */
const always = { from: '2000-01-01', to: null, source: 'bench', confidence: 'high' } as const;

const jurisdictions = [
  { code: 'US-WA', name: 'Washington', type: 'state', tax_type: 'sales' },
  { code: 'US-WA-KING', name: 'King County', type: 'county', tax_type: 'sales' },
  { code: 'US-WA-SEATTLE', name: 'Seattle', type: 'city', tax_type: 'sales' },
  { code: 'US-WA-TRANSIT', name: 'Regional Transit District', type: 'district', tax_type: 'sales' },
] as const satisfies readonly Jurisdiction[];

const rates = ['0.065', '0.0115', '0.01475', '0.014'];

const ruleOf = (ptc: string, effect: Release['rules'][number]['effect']) => ({
  ...always,
  id: `bench-${ptc.toLowerCase()}`,
  levels: null,
  ptcs: [ptc],
  attributes: { any: [], none: [] },
  effect,
});

const release: Release = {
  id: 'US-WA@2026-10-01.1',
  state: 'US-WA',
  name: 'Washington',
  currency: 'USD',
  established_from: '2000-01-01',
  established_to: null,
  coverage: 'complete',
  sources: { bench: 'Made up.' },
  jurisdictions,
  rates: jurisdictions.map(({ code }, index) => ({ ...always, jurisdiction: code, rate: rates[index] as string })),
  locations: [
    {
      ...always,
      zips: [['98101', '98199']],
      cities: ['SEATTLE'],
      alternatives: [jurisdictions.slice(1).map(({ code }) => code)],
    },
  ],
  rules: [
    ruleOf('GENERAL', { type: 'taxable' }),
    ruleOf('CLOTHING', { type: 'threshold_excess', amount: '110' }),
    ruleOf('FOOD', { type: 'exempt' }),
  ],
  settings: {
    sourcing: [{ ...always, policy: 'destination' }],
    shipping: [{ ...always, policy: 'follows_goods' }],
    rounding: [{ ...always, policy: { method: 'half_up' } }],
  },
};

/** What the calculations of the bench rest on. */
export const context: Context = {
  settings: defaultSettings('2026-10-08'),
  releaseFor: () => release,
  now: Date.parse('2026-10-08T12:00:00Z'),
};

const products = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY'];

// Prices are 5.00 to 204.99, spread by a prime: no two neighbours alike, and the same in every run.
const lineOf = (index: number) => ({
  id: `sku-${1000 + index}`,
  description: `Article ${index}`,
  product_tax_code: products[index % products.length] as string,
  quantity: String(1 + (index % 5)),
  unit_price: ((500 + ((index * 7919) % 20_000)) / 100).toFixed(2),
});

/** A request as its schema has read it, decimals still strings. Another `seed` gives other lines. */
export const requestOf = (lines: number, seed: number): CalculationInput => ({
  tax_date: '2026-10-08T12:00:00Z',
  customer: {
    id: 'cus_1',
    address: { line1: '1201 Third Avenue', city: 'Seattle', state: 'WA', postal_code: '98101', country: 'US' },
  },
  line_items: Array.from({ length: lines }, (_, index) => lineOf(seed + index)),
});
