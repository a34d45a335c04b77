/** What a publisher's page and its names can do to an update (findings R1 to R3). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileName, localName, nameInUrl } from '../../shared/importers/files/local-name.ts';
import { currentFiles } from '../../shared/importers/updates/find-file.ts';
import { linksOf } from '../../shared/importers/updates/page-links.ts';
import { PublisherFailure } from '../../shared/importers/updates/publisher-client.ts';
import { type PublishedFile, publishers } from '../../shared/importers/updates/publishers.ts';

const base = 'https://example.gov/rates/';
const filesOf = (letters: string): readonly PublishedFile[] => {
  const publisher = publishers.find(({ state }) => state === letters);
  if (!publisher || publisher.format === null) throw new Error(`${letters} has no files.`);
  return publisher.files;
};
const found = (letters: string, text: string) => currentFiles(filesOf(letters), { readText: async () => text });
const link = (...names: readonly string[]): string => names.map((name) => `<a href="${name}">x</a>`).join('');

describe('linksOf', () => {
  it.each([
    ['<a href="a.csv">', ['https://example.gov/rates/a.csv']],
    ["<A class=x HREF='/b.csv?x=1&amp;y=2' id=z>B</a>", ['https://example.gov/b.csv?x=1&y=2']],
    ['<a href=c.csv>C</a><a name="top">', ['https://example.gov/rates/c.csv']],
    ['<a href="http://other.gov/d.csv"/>', ['https://other.gov/d.csv']],
    ['<a href="javascript:alert(1)"><a href="mailto:a@b.c"><a href="https://[x/">', []],
    ['<!-- <a href="e.csv"> --><script>"<a href=f.csv>"</script><abbr href="g.csv"><img href=h.csv>', []],
    ['<a href="i.csv"', []],
  ])('reads %s', (html, links) => {
    expect(linksOf(html, base).map(({ href }) => href)).toEqual(links);
  });

  // A tree of these tags took 338 s. `npm run fuzz` measures the time of such pages.
  it('reads a page of 4 MB of nested tags', () => {
    const links = linksOf('<div>'.repeat(800_000) + link('a.csv'), base);
    expect(links.map(({ href }) => href)).toEqual(['https://example.gov/rates/a.csv']);
  });
});

describe('a name that a publisher gives', () => {
  it('with an invalid escape is skipped', async () => {
    const name = 'Domicile-Rate-Listing-October-2026.xlsx';
    expect(await found('LA', link('/docs/50%off.pdf', '/docs/%E0%A4%A', `/docs/${name}`))).toMatchObject([{ name }]);
  });

  it('never leaves its folder', async () => {
    const [file] = await found('LA', link('/x/Domicile-Rate-..%2F..%2F..%2Fetc%2FOctober-2026.xlsx'));
    expect(file?.name).toBe('Domicile-Rate-.._.._.._etc_October-2026.xlsx');
  });

  it('of a service in a folder, or with a path, is skipped', async () => {
    const names = ['/../../x', '', '%2F..%2Fx'].map((end) => `New_Mexico_gross_receipts_tax_July_2026_June_2027${end}`);
    const services = names.map((name) => ({ name, type: 'FeatureServer' }));
    const text = JSON.stringify({ services, layers: [{ id: 0, name: 'x' }] });
    expect(await found('NM', text)).toMatchObject([{ name: `${names[1]}.json` }]);
  });

  it('of 64 kB is skipped, for every publisher', async () => {
    const long = [
      `Domicile${'Rate'.repeat(16_000)}.xlsx`,
      `Domicile-Rate-${'abc'.repeat(20_000)}`,
      `oct${'a'.repeat(64_000)}2026`,
    ];
    const reading = publishers.filter(
      ({ format, state }) => format && filesOf(state).some(({ find }) => find !== 'url'),
    );
    for (const { state } of reading) await expect(found(state, link(...long))).rejects.toThrow(PublisherFailure);
  });
});

describe('localName', () => {
  it.each([
    ['MNR2026Q4AUG18.zip', 'MNR2026Q4AUG18.zip'],
    ['Tarifas año (2026) #1, it’s & more.csv', 'Tarifas año (2026) #1, it’s & more.csv'],
    ['../../etc/passwd', '___.._etc_passwd'],
    ['..\\x', '___x'],
    ['C:\\x.csv', 'C__x.csv'],
    ['.hidden', '_hidden'],
    ['', '_'],
    ['..', '__'],
    ['\u001b[31mred.csv', '_[31mred.csv'],
    ['a\u202Egpj.csv', 'a_gpj.csv'],
    ['a\0b', 'a_b'],
  ])('makes of %j the name %j', (name, safe) => expect(localName(name)).toBe(safe));

  it('stays in its folder and fits a file system, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.string()), (text) => {
        const name = localName(text);
        expect(name).not.toMatch(/[/\\\p{Cc}]|^\./u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(fileName(`/tmp/${name}`)).toBe(localName(name));
      }),
    );
  });

  it.each(['https://a.gov/', 'https://a.gov/%', `https://a.gov/${'a'.repeat(201)}`])('has none for %s', (url) => {
    expect(nameInUrl(new URL(url))).toBe(null);
  });
});
