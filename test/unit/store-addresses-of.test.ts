import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { listAddresses } from '../../shared/calculations/locate-lines.ts';
import { builtInRelease, builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import { pinnedContext } from '../../shared/ledger/context.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { buildRequest, testNow } from '../support/builders.ts';

const settings = defaultSettings('aspen.2026-10-01');
const listZips = (input: Parameters<typeof listAddresses>[0], ship_from: Settings['ship_from'] = null) =>
  listAddresses(input, { ship_from }).map(({ zip5 }) => zip5);
const at = (postal_code: string | null, others: object = {}) => ({ address: { postal_code, ...others } });

describe('the addresses of a calculation', () => {
  it('include the addresses of the lines, or of the document if a line has none, and the origins', () => {
    const input = {
      customer: at('55401'),
      ship_from: at('48226'),
      line_items: [{}, { customer: at('90001') }, { ship_from: at('10001') }],
    };
    expect(listZips(input, { postal_code: '60601' })).toEqual(['55401', '48226', '90001', '10001', '60601']);
    expect(listZips({ ...input, line_items: [{ customer: at('90001'), ship_from: at('10001') }] })).toEqual([
      '90001',
      '10001',
    ]);
  });

  it('are unique, for any number of lines', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => ({ customer: at('55401', { line1: `${index} Main` }) }));
    expect(listZips({ line_items: lines })).toEqual(['55401']);
  });

  it('include every state of a ZIP in several states if no state was sent', () => {
    const listStates = (address: object) =>
      listAddresses({ customer: { address }, line_items: [{}] }, { ship_from: null }).map(({ state }) => state);
    expect(listStates({ postal_code: '57717' })).toEqual(['MT', 'SD', 'WY']);
    expect(listStates({ postal_code: '57717', state: 'SD' })).toEqual(['SD']);
    expect(listStates({ postal_code: '55401' })).toEqual(['MN']);
  });

  it('use the state that a recorded sale resolved to, when it is calculated again', async () => {
    const settingsSnapshot = { ambiguous_address: 'highest_rate' } as StoredTransaction['settingsSnapshot'];
    const again = async (states: readonly string[]) => {
      const content_releases = Object.fromEntries(
        states.map((state) => [`US-${state}`, builtInRelease(state)?.id ?? '']),
      );
      const request = buildRequest({ customer: at('42223') });
      const around = { settings, now: testNow };
      const load = async () => builtInReleaseFor;
      const context = await pinnedContext(
        request,
        { transaction: { content_releases }, settingsSnapshot },
        around,
        load,
      );
      const outcome = calculate(request, context, []);
      return outcome.ok ? Object.keys(outcome.value.content_releases) : outcome.problems;
    };
    expect(await again(['KY'])).toEqual(['US-KY']);
    expect(await again(['TN'])).toEqual(['US-TN']);
    expect(await again(['KY', 'TN'])).toEqual(['US-TN']);
    expect(await again(['MI'])).toEqual(['US-TN']);
  });

  it('exclude invalid addresses, and are empty without lines', () => {
    const unreadable = [at('1'), at(null), at('55401', { state: 'MI' }), { address: null }];
    expect(listZips({ line_items: unreadable.map((customer) => ({ customer })) })).toEqual([]);
    expect(listZips({ customer: at('55401'), line_items: [] }, { postal_code: '60601' })).toEqual([]);
    expect(listZips({ customer: at('55401'), line_items: null })).toEqual([]);
  });

  it('include every address that a calculation loads content for', () => {
    const text = (...values: string[]) => fc.option(fc.constantFrom('', ...values), { nil: undefined });
    const address = fc.record({
      state: text('CA', 'MN', 'TX', 'nowhere'),
      postal_code: text('55401', '55401-1234', '90001', '75001', '42223', '57717', '00001', 'x'),
      city: text('Minneapolis', 'Los Angeles'),
      country: text('US', 'CA'),
    });
    const holder = fc.option(fc.record({ address: fc.option(address) }));
    const line = fc.record({ customer: holder, ship_from: holder });
    const asked = fc.record({
      customer: holder,
      ship_from: holder,
      line_items: fc.array(line, { minLength: 1, maxLength: 4 }),
    });
    let looked = 0;
    fc.assert(
      fc.property(asked, fc.option(address), (input, ship_from) => {
        const around = { ...settings, ship_from: ship_from as Settings['ship_from'] };
        const request = buildRequest(input as Parameters<typeof buildRequest>[0]);
        const loaded = new Set(listAddresses(request, around).map((one) => JSON.stringify(one)));
        const releaseFor = (one: Parameters<typeof builtInReleaseFor>[0]) => {
          looked++;
          expect(loaded).toContain(JSON.stringify(one));
          return builtInReleaseFor(one);
        };
        calculate(request, { settings: around, releaseFor, now: testNow }, []);
      }),
      { numRuns: 1000 },
    );
    expect(looked).toBeGreaterThan(200);
  });
});
