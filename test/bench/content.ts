/** Minnesota's built-in content without its fee, with three more jurisdictions at one address, and documents for it. */
import { createHash } from 'node:crypto';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { Context } from '../../shared/calculations/document.ts';
import type { CalculationInput } from '../../shared/calculations/request.ts';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';

export const day = '2026-11-21';
const id = `US-MN@${day}.199`;
const minnesota = builtInRelease('MN') as Release;
const [state, ...others] = minnesota.jurisdictions;
const base: Release = {
  ...minnesota,
  jurisdictions: [state, ...others.filter(({ tax_type }) => tax_type !== 'fee')],
};
export const importedAt = `${day}T00:00:00.000Z`;

export const zips = Array.from({ length: 40 }, (_, index) => String(55_401 + index));
/** The number of ZIP+4 ranges per ZIP code, as in Washington. */
export const zip4Ranges = 240;

const evidence = { from: '2020-01-01', to: null, source: 'file', confidence: 'high' } as const;
const locals = [
  { code: 'US-MN-00-053', name: 'Hennepin County', type: 'county', tax_type: 'sales' },
  { code: 'US-MN-01-43000', name: 'Minneapolis', type: 'city', tax_type: 'sales' },
  { code: 'US-MN-63-80004', name: 'Transit District', type: 'district', tax_type: 'sales' },
] as const;
const codes = locals.map(({ code }) => code);

const buildPart = (zip: string, ranges: number): ReleasePart => ({
  key: zip,
  jurisdictions: locals,
  rates: codes.map((jurisdiction) => ({ ...evidence, jurisdiction, rate: '0.005' })),
  locations: Array.from({ length: ranges }, (_, index) => {
    const [low, high] = [index * 40, index * 40 + 39].map((plus4) => zip + String(plus4).padStart(4, '0'));
    return { ...evidence, zips: [[low, high] as [string, string]], cities: [], alternatives: [codes] };
  }),
});

/** An imported release with 40 ZIP codes. */
export const imported = (): { readonly head: ReleaseHead; readonly parts: readonly ReleasePart[] } => ({
  head: {
    ...base,
    id,
    format: 'sst',
    imported_at: importedAt,
    content_hash: createHash('sha256').update(id).digest('hex'),
    counts: {
      parts: zips.length,
      jurisdictions: 3,
      rates: 3,
      locations: zips.length * zip4Ranges,
      streets: 0,
      zips: zips.length,
    },
    below: base.id,
    chain: [],
    chain_until: [],
    bottom: base.id,
    last_day: null,
  },
  parts: zips.map((zip) => buildPart(zip, zip4Ranges)),
});

const { jurisdictions, rates, locations } = buildPart('55401', 60);
const release: Release = {
  ...base,
  jurisdictions: [...base.jurisdictions, ...jurisdictions],
  rates: [...base.rates, ...rates],
  locations,
};

/** The context of calculations without a database. */
export const context: Context = {
  settings: defaultSettings(day),
  releaseFor: () => release,
  now: Date.parse(`${day}T12:00:00Z`),
};

const products = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY'];

// Prices from 5.00 to 204.99, spread by a prime, so adjacent prices differ and every run has the same prices.
const buildLine = (index: number) => ({
  id: `sku-${1000 + index}`,
  description: `Article ${index}`,
  product_tax_code: products[index % products.length] as string,
  quantity: String(1 + (index % 5)),
  unit_price: ((500 + ((index * 7919) % 20_000)) / 100).toFixed(2),
});

/** Builds a parsed request. Each `seed` has different lines. */
export const buildRequest = (lines: number, seed = 0): CalculationInput => ({
  tax_date: `${day}T12:00:00Z`,
  customer: {
    id: 'cus_1',
    address: { line1: '350 S 5th St', city: 'Minneapolis', state: 'MN', postal_code: '55401-1234', country: 'US' },
  },
  line_items: Array.from({ length: lines }, (_, index) => buildLine(seed + index)),
});
