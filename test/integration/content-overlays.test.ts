/** Overlay imports: output and errors of `content import`, `diff` and `activate`. */
// @isolated: resets modules.
import { describe, expect, it, vi } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { now } from '../../shared/config/clock.ts';
import { impactOfChange } from '../../shared/importers/releases/measure-impact.ts';
import { openRelease } from '../../shared/importers/releases/open-release.ts';
import { findHead } from '../../shared/store/content/content-store.ts';
import { loadContent } from '../../shared/store/content/load-content.ts';
import { fixture, tableFile } from '../fixtures/imports/harness.ts';
import { boundaryRow, lines, rateRow } from '../fixtures/imports/sst.ts';
import { ask, warningCodes } from '../support/builders.ts';
import { activate, changeHead, changePart, content, findActive, importRelease, withText } from '../support/content.ts';
import { buildHead } from '../support/local-content.ts';
import { dayMs, later } from '../support/sales.ts';
import { saveFile } from '../support/temporary-files.ts';

const today = new Date(now()).toISOString().slice(0, 10);
const builtIn = builtInRelease('WI')?.id ?? '';

const rates = lines(
  rateRow('55', '45', '55', '0.05', '19820501'),
  rateRow('55', '00', '079', '0.009', '20240101'),
  rateRow('55', '00', '078', '0.005', '20200331'),
  rateRow('55', '00', '077', '0.005', '20250101'),
  rateRow('55', '01', '53000', '0.02', '20240101'),
);
const row = (zip: string, county: string, place = '', from = '20240101') =>
  boundaryRow({ zips: [zip, '', zip, ''], state: '55', county, place, from });

const importing = async (rows: readonly string[], ...options: readonly string[]) => {
  const files = ['--rates', saveFile('WIR.csv', rates), '--boundaries', saveFile('WIB.csv', lines(...rows))];
  const ran = await content('import', '--format', 'sst', '--state', 'WI', ...files, ...options);
  return { ...ran, id: /^Imported (\S+) /m.exec(ran.out)?.[1] ?? '' };
};

// A file with a few ZIPs changes a large share of them.
const activated = ['--activate', '--override', 'vanished,changed,largest,built-in'];

const range = (low: string, high: string) =>
  boundaryRow({ type: '4', zips: ['53202', low, '53202', high], state: '55', county: '079' });

// The built-in rates are 5.9 % for Milwaukee County, 7.9 % for Milwaukee and 5.5 % for Menominee County.
const milwaukee = row('53202', '079', '53000');
const wauwatosa = row('53213', '079');
const keshena = row('54135', '078');

describe('overlays', () => {
  let [first, second, other] = ['', '', ''];

  it('prints the fallback release and the changes against it', async () => {
    const ran = await importing([row('53202', '079'), keshena]);
    first = ran.id;
    expect(await findHead(first)).toMatchObject({ below: builtIn, chain: [], bottom: builtIn });
    expect(ran.out).toContain('The files name 2 ZIPs, from 2024-01-01.');
    expect(ran.out).toContain(
      `Combined rates of 1 ZIP or city change compared with ${builtIn}, starting ${today}, by at most 2 percentage points (53202 from 7.9% to 5.9% on ${today}).`,
    );
    expect(ran.out).toContain(`The fallback release ${builtIn} covers all other ZIPs and cities.`);
    expect(ran.out).not.toContain('is in force');
  });

  it('prints the changes in `diff` and `activate`', async () => {
    const change = `Combined rates of 1 ZIP or city change compared with ${builtIn}`;
    expect((await content('diff', builtIn, first)).out).toContain(change);
    expect(await impactOfChange(await openRelease(builtIn), await openRelease(first), today)).toMatchObject({
      zips: 2,
      cities: 0,
      firstDay: '2024-01-01',
      lastDay: null,
      changed: 1,
      gained: 0,
      lost: 0,
      vanished: 0,
      largest: { key: '53202', kind: 'general', day: today, before: 7_900_000n, after: 5_900_000n },
      past: {
        changed: 1,
        firstDay: '2024-01-01',
        largest: { key: '53202', kind: 'general', day: '2024-01-01', before: 7_900_000n, after: 5_900_000n },
      },
    });
    const ran = await content('activate', first);
    expect(ran.out).toContain(`${first} names 2 ZIPs, from 2024-01-01.`);
    expect(ran.out).toContain(change);
    expect(await findActive('WI')).toBe(first);
    expect((await content('show', first)).out).toContain(`Fallback: ${builtIn}`);
  });

  it('applies overlays over the active import, with the rules of the built-in release, and lists all imports below', async () => {
    const ran = await importing([milwaukee, wauwatosa]);
    second = ran.id;
    expect(await findHead(second)).toMatchObject({ below: first, chain: [first], bottom: builtIn });
    expect(ran.out).toContain(`change compared with ${first}, starting`);
    expect(ran.out).toContain('by at most 2 percentage points (53202 from 5.9% to 7.9%');
    const later = await importing([row('54135', '078', '', '20990101')], '--dry-run');
    expect(later.out).toContain(`${first} covers all addresses today, ${today}: no value of this release is in force.`);
    expect(later.out).toContain(`No combined rate changes compared with ${first}`);
  });

  it('rejects an overlay that is imported twice, on top of the same release or of itself', async () => {
    for (const rows of [
      [row('53202', '079'), keshena],
      [milwaukee, wauwatosa],
    ]) {
      const again = await importing(rows);
      expect(again.out).toContain('already has the same content');
    }
  });

  it('rejects an overlay that would lose later imports, unless --replace is passed', async () => {
    other = (await importing([keshena])).id;
    expect((await content('activate', second)).code).toBe(0);
    const { err } = await content('activate', other);
    expect(err).toContain(`${other} was imported on top of ${first}, but ${second} is active now.`);
    expect(err).toContain(`drop ${second}, including 1 ZIP or city that it does not contain`);
    expect(err).toContain('Import its files again');
    expect(err).toContain('--replace');
    expect(await findActive('WI')).toBe(second);
    const replaced = await content('activate', other, '--replace');
    expect(replaced).toMatchObject({
      code: 0,
      out: expect.stringContaining('(53202 from 7.9% to 5.9%'),
    });
    expect(await findActive('WI')).toBe(other);
  });

  it('omits releases from the chain that no longer cover any address on any day', async () => {
    const readChain = async (rows: readonly string[]) => (await findHead((await importing(rows)).id))?.chain;
    // The active import covers 54135 from 2024-01-01 and overlays the first import, which also covers 53202.
    expect(await readChain([keshena, wauwatosa])).toEqual([first]);
    expect(await readChain([keshena, milwaukee, wauwatosa])).toEqual([]);
    expect(await readChain([row('54135', '078', '', '20240102'), milwaukee])).toEqual([other]);
    // The county of the row has no rate before 2025, so the fallback release still covers 2024.
    expect(await readChain([row('54135', '077'), milwaukee])).toEqual([other]);
    expect(await readChain([keshena, range('0001', '9999')])).toEqual([first]);
    expect(await readChain([keshena, range('0000', '5000'), range('5001', '9999')])).toEqual([]);
    // A row for the whole state lists no place, so the fallback releases still apply.
    const rows = ['US,WI,*,*,5.0000,State tax,1,0,1,', 'US,WI,54301,*,5.5000,Tax,1,0,1,'];
    const file = saveFile('tax_rates.csv', tableFile('woocommerce', ...rows).content);
    const { out } = await content('import', '--format', 'woocommerce', '--state', 'WI', '--file', file);
    const id = /^Imported (\S+) /m.exec(out)?.[1] ?? '';
    expect((await findHead(id))?.chain).toEqual([other, first]);
  });

  it('rolls back to earlier releases and fallback releases without --replace', async () => {
    expect((await content('activate', second)).code).toBe(0);
    expect((await content('activate', first)).code).toBe(0);
    expect((await content('activate', builtIn)).code).toBe(0);
    expect(await findActive('WI')).toBe(null);
    // The second import is on top of the first one, so activating it would restore the first one.
    await content('activate', first);
    await content('activate', builtIn);
    await content('rollback', '--state', 'WI');
    await content('rollback', '--state', 'WI');
    expect(await findActive('WI')).toBe(null);
    expect((await content('activate', second)).err).toContain(
      `imported on top of ${first}, but ${builtIn} is active now`,
    );
  });
});

describe('imports over a corrupt release', () => {
  const raised = [row('53202', '079', '53000', '20230101'), wauwatosa];

  it.each([
    { what: 'a part', tamper: (id: string) => changePart(id, '53202', withText('0.02', '0.03')) },
    { what: 'the head', tamper: (id: string) => changeHead(id, withText('Wisconsin', 'Elsewhere')) },
  ])('replaces the release if $what was changed, and omits it from the chain', async ({ what, tamper }) => {
    await content('activate', builtIn);
    const corrupt = (await importing([...raised, row('53005', '079', what === 'a part' ? '' : '53000')], ...activated))
      .id;
    expect(await findActive('WI')).toBe(corrupt);
    await tamper(corrupt);
    const ran = await importing(raised);
    expect(ran.out).toContain(`${corrupt} is corrupt`);
    expect((await findHead(ran.id))?.chain).toEqual([]);
    expect((await content('activate', ran.id)).code).toBe(0);
    expect(await findActive('WI')).toBe(ran.id);
  });
});

describe('imports over an earlier import', () => {
  /** Imports a table with one ZIP and returns the id of the release. */
  const importTable = async (state: string, zip: string, figures: string) => {
    const file = saveFile('zips.csv', tableFile('zip-rates', `${state},${zip},TOWN,${figures},1`).content);
    const options = ['--state', state, '--file', file, '--from', '2026-01-01'];
    const { out } = await content('import', '--format', 'zip-rates', ...options);
    return /^Imported (\S+) /m.exec(out)?.[1] ?? '';
  };

  const taxIn = async (release: string, postal_code: string, product_tax_code = 'GENERAL') => {
    const to = { state: release.slice(3, 5), postal_code };
    const address = readAddress(to, '');
    const addresses = address.ok ? [address.value] : [];
    const releaseFor = await loadContent(addresses, { [release.slice(0, 5)]: release });
    return ask({ to, line_items: [{ product_tax_code }] }, { releaseFor });
  };

  it('uses the rules of the built-in release, even if the earlier import has older ones', async () => {
    const earlier = buildHead('US-WI@2026-10-01.101', { rate: '0.05' });
    await importRelease(earlier, []);
    await activate('WI', earlier.id);
    const release = await importTable('WI', '53202', '0.059,0.05,0.009,0,0');
    expect(await findHead(release)).toMatchObject({ below: earlier.id });
    // Wisconsin exempts groceries (Wis. Stat. 77.54(20n)). The earlier import has no rule for them.
    expect((await taxIn(release, '53202', 'FOOD.GROCERY')).tax_amount).toBe('0.00');
    expect((await taxIn(release, '53202')).tax_amount).toBe('5.90');
  });

  it('warns about the rate for remote sellers in a ZIP of a rate table, but not in one of official files', async () => {
    const rateFile = lines(rateRow('40', '45', '40', '0.045'), rateRow('40', '01', '55000', '0.04125'));
    const place = { zips: ['73102', '', '73103', ''], state: '40', county: '109', place: '55000' } as const;
    const files = ['--rates', saveFile('OKR.csv', rateFile), '--boundaries', saveFile('OKB.csv', boundaryRow(place))];
    await content('import', '--format', 'sst', '--state', 'OK', ...files, ...activated);
    const release = await importTable('OK', '73102', '0.08625,0.045,0,0.04125,0');
    const [ofTable, ofFiles] = [await taxIn(release, '73102'), await taxIn(release, '73103')];
    expect([ofTable.tax_amount, ofFiles.tax_amount]).toEqual(['8.63', '8.63']);
    // Oklahoma's cities levy a separate use tax (68 O.S. 1411), which a table of sales tax rates does not contain.
    expect(warningCodes(ofTable)).toContain('remote_seller_rate');
    expect(warningCodes(ofFiles)).not.toContain('remote_seller_rate');
  });
});

it('applies rates of a file without dates from its first import, or from the day of --from', async () => {
  await content('activate', builtIn);
  const file = saveFile('undated.csv', tableFile('woocommerce', 'US,WI,53202,*,6.1000,Tax,1,0,1,').content);
  const undated = (...options: readonly string[]) =>
    content('import', '--format', 'woocommerce', '--state', 'WI', '--file', file, ...options);
  expect((await undated('--dry-run')).out).toContain(`The files name 1 ZIP, from ${today}.`);
  expect((await undated('--dry-run', '--from', '2026-10-05')).out).toContain('The files name 1 ZIP, from 2026-10-05.');
  expect((await undated('--from', '2026-13-05')).err).toContain("argument '2026-13-05' is invalid");
  expect((await undated(...activated)).code).toBe(0);
  const again = await later(dayMs, () => undated());
  expect(again.out).toContain(`${await findActive('WI')} already has the same content`);
});

it('assumes that the built-in release is active in a dry run without a database', async () => {
  vi.resetModules();
  vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1');
  const offline = await import('../../shared/cli/content/import.ts');
  // The setup file imports the modules again after this test.
  vi.unstubAllEnvs();
  vi.resetModules();
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await offline.activeReleaseOrBuiltIn('WI')).toMatchObject({ id: builtIn, head: null });
  expect(written).toHaveBeenCalledWith(expect.stringContaining('No database is available'));
  written.mockRestore();
});

it('keeps the fallback release for a city whose rate depends on the street address now', async () => {
  const text = fixture('ordmache-current.txt').content.toString();
  const [line = ''] = text.match(/^.*CHICAGO.*$/m) ?? [];
  const alone = `${line.slice(0, 60)}N20260101${line.slice(69)}`;
  const readChain = async (file: string) => {
    const path = saveFile('rates.txt', file);
    const { out } = await content('import', '--format', 'illinois', '--file', path, ...activated);
    const id = /^Imported (\S+) /m.exec(out)?.[1] ?? '';
    return { id, chain: (await findHead(id))?.chain, out };
  };
  const first = await readChain(`${alone}\n`);
  const open = await readChain(`${line.slice(0, 60)}Y20260101${'0'.repeat(20)} ${line.slice(90)}\n`);
  expect(open.chain).toEqual([first.id]);
  expect(open.out).toContain('its rates depend on the address and are in a different file (ordmacha-current.txt)');
  expect((await readChain(`${alone.replaceAll('10500', '10750')}\n`)).chain).toEqual([]);
});
