/** Runs `npm run content -- import … --activate`: a file that changes too much is imported but not activated. */
import { beforeAll, describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { tableFile } from '../fixtures/imports/harness.ts';
import { boundaryRows, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import { content, findActive } from '../support/content.ts';
import { saveFile } from '../support/temporary-files.ts';

/** Imports rates in percent by ZIP. */
const importing = async (state: string, rates: Readonly<Record<string, number>>, ...options: readonly string[]) => {
  const rows = Object.entries(rates).map(([zip, rate]) => `US,${state},${zip},*,${rate},Tax,1,0,1,`);
  const path = saveFile('rates.csv', tableFile('woocommerce', ...rows).content);
  const words = ['import', '--format', 'woocommerce', '--state', state, '--file', path, ...options];
  const ran = await content(...words);
  return { ...ran, id: /(\S+@\S+) (?:with|already)/.exec(ran.out)?.[1] ?? '', path };
};
/** Imports a pair of SST files. Indiana has 7 % everywhere, Kentucky 6 %. */
type Rows = readonly string[];
const importingSst = (state: string, rates: Rows, boundary: Rows, ...options: Rows) => {
  const paths = sstFiles(state, rates, boundary).map(({ name, content }) => saveFile(name, content));
  const given = ['--rates', paths[0] ?? '', '--boundaries', paths[1] ?? '', ...options];
  return content('import', '--format', 'sst', '--state', state, ...given);
};

/** Kansas has 6.5 %; these rates are close to the built-in tables. */
const kansas = { '66044': 9.35, '66603': 9.35, '67202': 7.5, '66101': 9.125 };

describe('import --activate', () => {
  it('activates a file that changes little', async () => {
    const first = await importing('KS', kansas, '--activate', '--override', 'changed');
    expect({ code: first.code, active: await findActive('KS') }).toEqual({ code: 0, active: first.id });
    const ran = await importing('KS', { ...kansas, '66044': 9.25 }, '--activate');
    expect({ code: ran.code, active: await findActive('KS') }).toEqual({ code: 0, active: ran.id });
    expect(ran.out).toMatch(/^vanished +0% +2% +pass/m);
    expect(ran.out).toMatch(/^changed +25% +25% +pass/m);
    expect(ran.out).toMatch(/^largest +0\.1 points +3 points +pass/m);
    expect((await importing('KS', kansas, '--activate')).code).toBe(0);
  });

  it('blocks a file that removes local taxes, prints examples, and activates it on --override', async () => {
    const before = await findActive('KS');
    // These ZIPs have only the state's rate, as in a table of state rates by ZIP.
    const wrong = { ...kansas, '66044': 6.5, '66603': 6.5 };
    const held = await importing('KS', wrong, '--activate');
    expect({ code: held.code, active: await findActive('KS') }).toEqual({ code: 1, active: before });
    expect(held.out).toMatch(/^vanished +50% +2% +FAIL/m);
    expect(held.out).toMatch(/^changed +50% +25% +FAIL/m);
    expect(held.out).toMatch(/^largest +2\.85 points +3 points +pass/m);
    expect(held.out).toMatch(/^vanished: 66044 from 9\.35% to 6\.5% on \S+; 66603 from 9\.35% to 6\.5% on \S+\.$/m);
    expect(held.err).toContain(
      `${held.id} is imported but not active, because these gates failed: vanished, changed, built-in.`,
    );
    expect(held.err).toContain(`npm run content -- diff ${before} ${held.id} --rates`);
    expect(held.err).toContain('run the import again with --override vanished,changed,built-in.');

    const partly = await importing('KS', wrong, '--activate', '--override', 'vanished,changed');
    expect(partly.err).toContain('because this gate failed: built-in.');
    expect(await findActive('KS')).toBe(before);
    const overridden = await importing('KS', wrong, '--activate', '--override', 'vanished, changed, built-in');
    expect({ code: overridden.code, active: await findActive('KS') }).toEqual({ code: 0, active: held.id });
  });

  it('blocks a file with an implausible rate, or with fewer places than the previous file', async () => {
    const before = await findActive('KS');
    const far = await importing('KS', { ...kansas, '66044': 14.5 }, '--activate');
    expect(far.out).toMatch(/^largest +8 points +3 points +FAIL/m);
    expect(far.out).toMatch(/^largest: 66044 from 6\.5% to 14\.5% on \S+\.$/m);
    expect(far.out).toMatch(/^cap +14\.5% +13\.5% +FAIL/m);
    const short = await importing('KS', { '67202': 7.5, '66101': 9.125, '66044': 6.5 }, '--activate');
    expect(short.out).toMatch(/^vanished +25% +2% +FAIL/m);
    expect(short.out).toMatch(/^changed +0% +25% +pass/m);
    expect(short.code).toBe(1);
    expect(await findActive('KS')).toBe(before);
  });

  it('compares a first file with the built-in release', async () => {
    const { out, err, code } = await importing('PA', { '19103': 6, '15222': 7 }, '--activate');
    expect(code).toBe(1);
    expect(out).toMatch(/^vanished +50% +2% +FAIL/m);
    expect(out).toMatch(/^vanished: 19103 from 8% to 6% on \S+\.$/m);
    expect(err).toContain(`npm run content -- diff ${builtInRelease('PA')?.id} US-PA@`);
    expect(await findActive('PA')).toBe(null);
  });

  it('reports that a release is already active, and rejects an unknown gate and --override without --activate', async () => {
    const active = await findActive('KS');
    const again = await importing('KS', { ...kansas, '66044': 6.5, '66603': 6.5 }, '--activate');
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining(`${active} is already the active release`) });
    const unknown = await importing('KS', kansas, '--activate', '--override', 'everything');
    expect(unknown.err).toContain('"everything" is not a gate. The gates are vanished, changed,');
    expect((await importing('KS', kansas, '--override', 'changed')).err).toContain('because only --activate applies');
  });

  describe('measured rates of the gates', () => {
    const state = ['45 18 0.07', '63 00001 0.01', '63 00002 0.15'];
    const stateAnd = (...rates: Rows) => [...rates, ...state.slice(1)];
    const all = 'Z 46001..46299';
    const half = [all, '4 46204-0001..46204-4999 63:00001'];
    const two = [all, '4 46204-0001..46204-4000 63:00001', '4 46204-4001..46204-4999 63:00002'];
    const moved = [all, '4 46204-0001..46204-0001 63:00001', '4 46204-5000..46204-9999 63:00001'];
    const later = ['45 18 0.07', '63 00001 0.01 20200101 20991130', '63 00001 0.15 20991201', '63 00002 0.15'];
    const past = stateAnd('45 18 0.25 20200101 20261015', '45 18 0.07 20261016');
    const steps = stateAnd('45 18 0.07 20200101 20991130', '45 18 0.0950 20991201');
    const away = stateAnd('45 18 0.07/0.25/0.07/0.25');
    const food = stateAnd('45 18 0.07/0.07/0.13/0.13');
    const importing = (given: Rows, boundary: Rows, ...options: Rows) =>
      importingSst('IN', rateRows('18', ...given), boundaryRows('18', ...boundary), '--activate', ...options);
    beforeAll(async () => {
      expect(await importing(state, half, '--override', 'changed')).toMatchObject({ code: 0 });
    });

    // The last case is activated.
    it.each<[of: string, rates: Rows, boundary: Rows, says: RegExp, code: 0 | 1]>([
      ['a rate of ZIP+4 numbers', state, two, /^largest: 46204(-\d{4})? from 8% to 22% on/m, 1],
      ['streets', state, [...half, 'A 46204 63:00002'], /^largest: 46204(-\d{4})? from [78]% to 22% on/m, 1],
      ['a rate for other states', away, half, /^largest: 46\d{3}, from other states from 7% to 25% on/m, 1],
      ['a rate on food', food, half, /^largest: 46\d{3}, food from 7% to 13% on/m, 1],
      ['a rate that begins later', later, half, /^largest: 46204(-\d{4})? from 8% to 22% on 2099-12-01/m, 1],
      ['the tax of a worked case', stateAnd('45 18 0.08'), half, /^cases +1 +0 +FAIL.*^cases: sst-324-up\.$/ms, 1],
      ['a rate of past days', past, half, /^past +18 points +3 points +FAIL/m, 1],
      ['a later rate that is far from the built-in one, by small steps', steps, half, /^built-in +100% +20% +FAIL/m, 1],
      ['ranges of ZIP+4 numbers that move, in one of 299 ZIPs', state, moved, /^changed +0\.33% +25% +pass/m, 0],
    ])('include %s', async (_, rates, boundary, says, code) => {
      const before = await findActive('IN');
      const ran = await importing(rates, boundary);
      expect(ran.out).toMatch(says);
      expect([ran.code, (await findActive('IN')) === before]).toEqual([code, code === 1]);
    });

    it('includes the ZIP+4 numbers of a first file if they cover most of a ZIP', async () => {
      const rates = rateRows('21', '45 21 0.06', '63 00002 0.07');
      const boundary = boundaryRows('21', 'Z 40202..40299', '4 40202-0001..40202-9999 63:00002');
      const ran = await importingSst('KY', rates, boundary, '--activate');
      expect(ran.out).toMatch(/^largest: 40202-\d{4} from 6% to 13% on/m);
      expect({ code: ran.code, active: await findActive('KY') }).toEqual({ code: 1, active: null });
    });
  });
});
