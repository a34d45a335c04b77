import { describe, expect, it } from 'vitest';
import type { Sourcing } from '../../shared/catalog/release.ts';
import { ask, locationOf, releaseOf, rule } from '../support/builders.ts';

/** Rules that bind by the ZIP: of a sale, the ZIP of the end where it is taxed. */

const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;
const releaseFor = (policy: Sourcing) => () =>
  releaseOf({
    of: [
      { code: 'US-CA', type: 'state', rate: '0.06' },
      { code: 'COUNTY', type: 'county', rate: '0.01' },
      { code: 'DISTRICT', type: 'district', rate: '0.005' },
    ],
    locations: [locationOf({ zips: [['90001', '94199']], alternatives: [['COUNTY', 'DISTRICT']] })],
    rules: [
      rule('goods', ['GENERAL'], { type: 'taxable' }),
      rule('there', ['GENERAL'], { type: 'exempt' }, { zips: [['94102', '94102']] }),
    ],
    settings: { sourcing: [{ ...always, policy }] },
  });
const at = (postal_code?: string) => ({ state: 'CA', ...(postal_code ? { postal_code } : {}) });

describe('a rule for a ZIP', () => {
  it.each<{ policy: Sourcing; from: string; to: string; tax: string; because: string }>([
    { policy: 'destination', from: '90001', to: '94102', tax: '0.00', because: 'the destination decides' },
    { policy: 'destination', from: '94102', to: '90001', tax: '7.50', because: 'the origin does not' },
    { policy: 'origin', from: '90001', to: '94102', tax: '7.50', because: 'the destination does not' },
    { policy: 'origin', from: '94102', to: '90001', tax: '0.00', because: 'the origin decides' },
    { policy: 'mixed', from: '90001', to: '94102', tax: '7.00', because: 'the district alone is at the destination' },
    { policy: 'mixed', from: '94102', to: '90001', tax: '0.50', because: 'all but the district are at the origin' },
  ])('a sale by $policy, from $from to $to: $tax, $because', ({ policy, from, to, tax }) => {
    const request = { to: at(to), ship_from: { address: at(from) } };
    expect(ask(request, { releaseFor: releaseFor(policy) }).tax_amount).toBe(tax);
  });

  it('applies with four digits as well, and to no address without a ZIP', () => {
    const options = { releaseFor: releaseFor('destination') };
    expect(ask({ to: at('94102-1234') }, options).tax_amount).toBe('0.00');
    expect(ask({ to: at() }, options).tax_amount).toBe('6.00');
  });

  it('does not affect lines for other ZIPs', () => {
    const line_items = ['94102', '94103', '94102'].map((zip) => ({ customer: { address: at(zip) } }));
    const outcome = ask({ line_items }, { releaseFor: releaseFor('destination') });
    expect(outcome.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['0.00', '7.50', '0.00']);
  });
});
