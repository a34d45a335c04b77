import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtInRelease, builtInReleases } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead } from '../../shared/catalog/content.ts';
import { ReleaseNotFound } from '../../shared/catalog/loading/content-errors.ts';
import type { Release, Rule } from '../../shared/catalog/release.ts';
import attribution from '../../shared/coverage/attribution.json' with { type: 'json' };
import { coverageOfAll, stateCoverage, subjects } from '../../shared/coverage/coverage.ts';
import { coveragePage } from '../../shared/coverage/page.ts';
import { activeReleases } from '../../shared/coverage/releases.ts';
import { Coverage } from '../../shared/coverage/response.ts';
import cases from '../fixtures/coverage-cases.json' with { type: 'json' };
import { ask, getRelease, rule } from '../support/builders.ts';
import { readCases } from '../support/facts.ts';
import { buildHead } from '../support/local-content.ts';

const day = '2026-11-21';
const all = coverageOfAll(builtInReleases(), day);
const getState = (letters: string) => {
  const found = all.find(({ state }) => state === letters);
  if (!found) throw new Error(`There is no ${letters}.`);
  return found;
};

describe('the built-in coverage', () => {
  it('lists the states, DC, Puerto Rico and three military mail codes in order, and matches the response schema', () => {
    expect(all).toHaveLength(55);
    expect(all.map(({ state }) => state)).toEqual(all.map(({ state }) => state).toSorted());
    expect(Coverage.safeParse({ object: 'coverage', tax_date: day, states: all, attribution }).error).toBeUndefined();
  });

  // The expected values are typed by hand, not read from the releases.
  it('reports states with a single rate, without a sales tax, and with local taxes', () => {
    const getLocal = (state: string) => {
      const { local_rates, local } = getState(state);
      return `${state} ${local_rates} ${local.basis}`;
    };
    const states = (text: string) => text.split(' ');
    for (const state of states('CT DC IN KY ME MD MA MI NJ RI DE NH OR AA AE AP'))
      expect(getLocal(state)).toBe(`${state} complete not_levied`);
    for (const state of states('AL AZ IL MO NM TX')) expect(getLocal(state)).toBe(`${state} partial by_place`);
    for (const state of states('AK CA CO FL GA LA MN MT NY OH WA'))
      expect(getLocal(state)).toBe(`${state} complete by_place`);
    expect(getState('MT')).toMatchObject({ general_rate: { rate: '0' }, clothing: { treatment: 'by_level' } });
    for (const state of ['DE', 'NH', 'OR', 'AA', 'AE', 'AP'])
      expect([getState(state).clothing.treatment, getState(state).general_rate?.rate]).toEqual([
        'not_subject_to_tax',
        '0',
      ]);
    expect(getState('MI')).toMatchObject({ general_rate: { rate: '0.06' }, clothing: { treatment: 'taxable' } });
    expect(getState('MI').shipping.treatment).toBe('exempt_unless_included');
    expect(getState('MA').clothing).toMatchObject({ treatment: 'threshold', text: expect.stringContaining('175') });
    expect(getState('NY').clothing).toMatchObject({ treatment: 'by_level', text: expect.stringContaining('110') });
    expect(getState('NJ')).toMatchObject({ clothing: { treatment: 'exempt' }, groceries: { treatment: 'exempt' } });
    expect(getState('ID').groceries).toMatchObject({
      treatment: 'by_level',
      text: expect.stringMatching(/state.*: taxable/),
    });
    expect(getState('UT').groceries).toMatchObject({ treatment: 'by_level', text: expect.stringContaining('0.03') });
    expect(getState('HI').shipping.treatment).toBe('taxable');
    expect(getState('AK').clothing).toMatchObject({
      treatment: 'by_level',
      text: expect.stringContaining('no general tax'),
    });
  });

  it('notes the treatments and local rates that are not established, and no others', () => {
    for (const covered of all) {
      const kinds = [...Object.keys(subjects), 'shipping'] as (keyof typeof subjects | 'shipping')[];
      const missing = kinds.filter((kind) => covered[kind].treatment === 'not_established');
      const note = covered.notes.find((text) => text.startsWith('Not established: ')) ?? '';
      expect(note).toBe(missing.length > 0 ? `Not established: ${missing.join(', ').replaceAll('_', ' ')}.` : '');
      const isMissing = covered.notes.some((text) => /local rates? .*(missing|not established)/i.test(text));
      expect([covered.state, isMissing]).toEqual([covered.state, covered.local_rates !== 'complete']);
    }
  });

  // The tax core is the oracle: coverage must match the tax of a sale.
  it.each(Object.entries(subjects))('agrees with a calculation on %s', (kind, codes) => {
    for (const { state, [kind as keyof typeof subjects]: said } of all) {
      const outcome = ask({
        to: { state },
        tax_date: day,
        line_items: [{ product_tax_code: codes[0] as string, unit_price: '10.00' }],
      });
      const [row] = outcome.line_items[0]?.taxes ?? [];
      const isUncertain = outcome.warnings.some(({ code }) => code === 'taxability_not_established');
      const expected: Partial<Record<typeof said.treatment, readonly (string | undefined)[]>> = {
        taxable: ['standard_rated'],
        exempt: ['product_exempt', 'product_exempt_holiday'],
        reduced_rate: ['reduced_rated', 'zero_rated'],
        higher_rate: ['standard_rated'],
        not_subject_to_tax: ['not_subject_to_tax'],
      };
      const reasons = expected[said.treatment];
      if (reasons) expect([state, reasons]).toEqual([state, expect.arrayContaining([row?.taxability_reason])]);
      if (said.treatment === 'not_established')
        expect([state, isUncertain || row?.rate === '0']).toEqual([state, true]);
      if (isUncertain) expect([state, said.text]).toEqual([state, expect.stringMatching(/not established/i)]);
      if (row?.rule_id && !isUncertain)
        expect([state, said.rule_ids]).toEqual([state, expect.arrayContaining([row.rule_id])]);
    }
  });
});

/** A release with rules, and the expected coverage. The subject is `clothing` by default. */
type Case = {
  readonly title: string;
  readonly rules?: readonly (Pick<Rule, 'id' | 'ptcs' | 'effect'> & Partial<Rule>)[];
  readonly release?: Parameters<typeof getRelease>[0];
  readonly day?: string;
  readonly subject?: keyof ReturnType<typeof stateCoverage>;
  readonly expected?: object | string | null;
  /** Expected parts of the text, and its numbers. */
  readonly text?: readonly string[];
  readonly figures?: readonly string[];
  /** Parts of notes that must be present, or absent. */
  readonly notes?: readonly string[];
  readonly absent?: readonly string[];
};

const releaseCases = readCases<Case>(cases, {
  required: ['title'],
  optional: ['rules', 'release', 'day', 'subject'],
  oneOf: ['expected', 'text', 'figures', 'notes', 'absent'],
});

describe('coverage of a release', () => {
  it.each(releaseCases)('reports the release as correct if $title', (one) => {
    const rules = (one.rules ?? []).map(({ id, ptcs, effect, ...others }) => rule(id, ptcs, effect, others));
    const covered = stateCoverage(getRelease({ rules, ...one.release }), one.day ?? day);
    const found = covered[one.subject ?? 'clothing'];
    if (one.expected !== undefined) expect({ found }).toMatchObject({ found: one.expected });
    const { text = '' } = Object(found);
    for (const part of one.text ?? []) expect(text).toContain(part);
    if (one.figures) expect(text.match(/\d+(\.\d+)?/g) ?? []).toEqual(one.figures);
    const notes = covered.notes.join('\n');
    for (const part of one.notes ?? []) expect(notes).toContain(part);
    for (const part of one.absent ?? []) expect(notes).not.toContain(part);
  });

  it('reports the requested day if the same release is read on several days', () => {
    const release = getRelease({ rules: [rule('CLOTHES', ['CLOTHING'], { type: 'exempt' }, { from: day, to: null })] });
    const treatments = ['2026-11-20', day, '2026-11-20'].map((on) => stateCoverage(release, on).clothing.treatment);
    expect(treatments).toEqual(['not_established', 'exempt', 'not_established']);
  });

  const imported = (last_day: string | null, counts: Partial<ReleaseHead['counts']> = {}): Release => {
    const all = { parts: 4, zips: 3, jurisdictions: 1, rates: 1, locations: 4, streets: 0, ...counts };
    const fallback = getRelease({ coverage: 'partial' });
    return { ...fallback, ...({ counts: all, last_day } as Partial<ReleaseHead>), fallback };
  };
  const getLocal = (release: Release, on = day) => {
    const { local_rates, notes } = stateCoverage(release, on);
    return [local_rates, notes.find((note) => note.includes('its files'))];
  };

  it('reports partial local rates if an import lists ZIPs, with their number and last day', () => {
    const note = (found: string) => `Addresses that its files do not name (${found}) fall back to US-XX@2026-11-22.1.`;
    expect(getLocal(imported(null))).toEqual(['partial', note('3 ZIPs and 1 city')]);
    expect(getLocal(imported(day))).toEqual(['partial', note(`3 ZIPs and 1 city, the last of them to ${day}`)]);
    expect(getLocal(imported(null, { parts: 1, zips: 1 }))).toEqual(['partial', note('1 ZIP')]);
  });

  it('reports no local rates from the day after everything in an import has ended', () => {
    const note = 'Everything that its files list (3 ZIPs and 1 city, the last of them to 2019-03-31) has ended.';
    expect(getLocal(imported('2019-03-31'), '2019-03-31')[0]).toBe('partial');
    expect(getLocal(imported('2019-03-31'), '2019-04-01')).toEqual(['none', note]);
  });

  it('reports a treatment for each level if an import has local taxes in a state without a general tax', () => {
    const state = [{ code: 'US-AK', type: 'state', rate: '0' }] as const;
    const { jurisdictions, rates } = getRelease({ of: state });
    const head = { ...imported(null), jurisdictions, rates, state: 'US-AK' };
    const { groceries, clothing, general_rate } = stateCoverage(head, day);
    const text =
      'By the state: no general tax. By a county, a city or a district: not established; taxed as general goods, with a warning.';
    expect([groceries, clothing, general_rate?.rate]).toMatchObject([
      { treatment: 'by_level', text, confidence: null, rule_ids: [] },
      { treatment: 'by_level', text },
      '0',
    ]);
    // A rule applies to the local taxes; the state still has no tax.
    const exempt = rule('local', ['FOOD.GROCERY'], { type: 'exempt' }, { levels: ['county', 'city', 'district'] });
    expect(stateCoverage({ ...head, rules: [exempt] }, day).groceries).toMatchObject({
      treatment: 'by_level',
      text: 'By the state: no general tax. By a county, a city or a district: exempt.',
      rule_ids: ['local'],
    });
  });
});

describe('active releases', () => {
  const ids = builtInReleases().map(({ id }) => id);
  const [michigan = '', ohio = ''] = ['MI', 'OH'].map((state) => builtInRelease(state)?.id);
  const imported = buildHead('US-MI@2026-11-01.1', { bottom: michigan });
  const activation = (release: string) => ({ release, activated_at: '2026-11-20T00:00:00.000Z', previous: [] });
  const from = async (active: string | null, heads: readonly ReleaseHead[], state: string | null = null) => {
    const releases = await activeReleases(state, {
      readActive: async () => ({ version: 1, states: active ? { 'US-MI': activation(active) } : {} }),
      readContent: async (ids) => ({
        heads: ids.map((id) => {
          const head = heads.find((candidate) => candidate.id === id);
          return head && { value: head, characters: 1 };
        }),
        parts: [],
      }),
    });
    return releases.map(({ id }) => id);
  };

  it('returns the built-in releases, unless an import is active', async () => {
    expect(await from(null, [])).toEqual(ids);
    expect(await from(imported.id, [imported])).toEqual(ids.map((id) => (id === michigan ? imported.id : id)));
  });

  it('returns only the releases of a requested state', async () => {
    expect(await from(imported.id, [imported], 'US-MI')).toEqual([imported.id]);
    expect(await from(imported.id, [], 'US-OH')).toEqual([ohio]);
    expect(await from(null, [], 'US-ZZ')).toEqual([]);
  });

  it('fails if a release is missing', async () => {
    await expect(from(imported.id, [])).rejects.toThrow(ReleaseNotFound);
  });
});

it('matches the content on the coverage page (after a change, run `npm run content -- coverage --write`)', () => {
  const page = readFileSync(new URL('../../infra/docs/coverage.md', import.meta.url), 'utf8');
  expect(page).toBe(coveragePage(builtInReleases(), page));
});

it.each(builtInReleases().map((release) => [release.state, release] as const))(
  'uses no codes or rule ids in the text of the coverage of %s',
  (state, release) => {
    const ids = new RegExp(`US-[A-Z]{2}-|\\b${state.slice(3).toLowerCase()}-[a-z]`);
    const covered = stateCoverage(release, day);
    for (const subject of [...Object.keys(subjects), 'shipping'] as (keyof typeof covered)[])
      expect((covered[subject] as { text: string }).text).not.toMatch(ids);
  },
);
