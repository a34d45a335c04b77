import { describe, expect, it } from 'vitest';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { baseOf, changed, entriesOf, fixture, importFiles, ofKind, percentsIn } from '../fixtures/imports/harness.ts';

const name = 'ordmache-current.txt';
const names = await readNameTables('IL');
const imported = await importFiles('illinois', 'IL', [fixture(name)], { names });
const bad = async (from: string, to: string) => {
  const { built } = await importFiles('illinois', 'IL', [changed(name, from, to)], { names });
  return built.summary.bad.first.map(({ line, reason }) => [line, reason]);
};

describe('Illinois’ rates by location', () => {
  it.each([
    { city: 'CHICAGO', day: '2026-11-21', percents: [10.5], because: 'the rate contains the state’s 6.25' },
    { city: 'CAMP POINT', day: '2026-10-31', percents: [6.5], because: 'its earlier period has not ended' },
    { city: 'CAMP POINT', day: '2026-11-01', percents: [7], because: 'its current period has begun' },
    { city: 'BARRINGTON', day: '2026-11-21', percents: [8, 10], because: 'it lies in two counties' },
    {
      city: 'ALTON',
      day: '2026-11-21',
      percents: [6.25],
      because: 'it is named without its rates, which are in another file',
    },
    { city: 'COLLINSVILLE', day: '2026-11-21', percents: [8.6, 8.85], because: 'some addresses have the high rate' },
  ])('$city on $day: $percents, because $because', ({ city, day, percents }) => {
    expect(percentsIn(imported, city, day)).toEqual(percents);
  });

  it.each([
    { prior: `2019070120251231${'0'.repeat(20)} `, locations: [{ from: '2019-07-01', to: null, of_addresses: true }] },
    {
      prior: '201907012025123108100010000810001000N',
      locations: [
        { from: '2019-07-01', to: '2025-12-31' },
        { from: '2026-01-01', to: null, of_addresses: true },
      ],
    },
  ])('of a place end before the first day without a rate: $locations', async ({ prior, locations }) => {
    const text = fixture(name).content.toString();
    const line = text.split('\n').find((one) => one.includes('ALTON')) ?? '';
    const changedLine = `${line.slice(0, 132)}${prior}${line.slice(132 + prior.length)}`;
    const { rates, ...others } = baseOf('IL');
    const base = { ...others, established_from: '2019-01-01', rates: rates.map((rate) => ({ ...rate, from: null })) };
    const { parts } = await importFiles('illinois', 'IL', [{ name, content: text.replace(line, changedLine) }], {
      names,
      base,
    });
    const found = parts.get('ALTON')?.locations.map(({ from, to, of_addresses }) => ({ from, to, of_addresses }));
    expect(found?.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1))).toEqual(
      locations.map((one) => ({ of_addresses: undefined, ...one })),
    );
  });

  it('have the codes and the kind that rules name, and the state’s own codes beside them', () => {
    expect(imported.parts.get('CHICAGO')?.jurisdictions).toEqual([
      {
        code: 'US-IL-031-14000',
        name: 'Chicago (combined local rate)',
        type: 'city',
        tax_type: 'sales',
        kind: 'combined',
        reporting_code: '016-0001-7',
      },
    ]);
  });

  it('skip counties and other states, and remark on locations whose rates are in another file', () => {
    const { skipped, remarks } = imported.built.summary;
    const linesOf = (reasons: typeof skipped) => reasons.map(({ reason, firstLine }) => [firstLine, reason]);
    expect(linesOf(skipped)).toEqual([
      [1, 'unincorporated areas have no city that an address names'],
      [8, 'another state'],
    ]);
    expect(linesOf(remarks)).toEqual([
      [4, 'its rates depend on the address, and are in another file (ordmacha-current.txt)'],
    ]);
  });

  it.each([
    { from: 'CHICAGO  ', to: 'CHICAGO ', line: 2, reason: /^has 210 characters; a row has 211$/ },
    { from: '016-0001-7', to: '16-00001-7', line: 2, reason: /^begins with 16-00001-7/ },
    { from: '2026010110500', to: '2026130110500', line: 2, reason: /^begins on 20261301/ },
    { from: '2026110107000', to: '202611010700 ', line: 3, reason: /^has the rates 0700 {2}and 07000/ },
    { from: '2026103106500', to: '2026103206500', line: 3, reason: /^ends on 20261032/ },
    {
      from: '2026110107000010000700',
      to: '2026110106000010000600',
      line: 3,
      reason: /^the file has 0.06 in all, the release has 0.0625/,
    },
    {
      from: 'COOK                     N2026010110500',
      to: 'COKE                     N2026010110500',
      line: 2,
      reason: /^is in COKE/,
    },
    {
      from: 'COOK                     N2026010110500',
      to: 'COOK                     X2026010110500',
      line: 2,
      reason: /^has X in column 61/,
    },
  ])('are bad with $to', async ({ from, to, line, reason }) => {
    expect(await bad(from, to)).toEqual([[line, expect.stringMatching(reason)]]);
  });

  it('in another layout have no good row', async () => {
    const entries = await entriesOf('illinois', 'IL', [{ name, content: 'id,name,county\n016-0001-7,CHICAGO,COOK\n' }]);
    expect(ofKind(entries, 'bad').map(({ line }) => line)).toEqual([1, 2]);
  });
});
