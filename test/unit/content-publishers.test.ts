import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { importers } from '../../shared/importers/importers.ts';
import { fileName, localName, nameInUrl, publicationIn } from '../../shared/importers/updates/file-names.ts';
import { currentFiles, listLinks } from '../../shared/importers/updates/find-file.ts';
import { PublisherClient, PublisherFailure } from '../../shared/importers/updates/publisher-client.ts';
import publisherRows from '../../shared/importers/updates/publishers.json' with { type: 'json' };
import { type PublishedFile, publishers } from '../../shared/importers/updates/publishers.ts';
import { isPublicAddress } from '../../shared/importers/updates/request.ts';
import { staleness, type UpdateRecord } from '../../shared/importers/updates/staleness.ts';
import { createFolder } from '../support/temporary-files.ts';

describe('the publisher client', async () => {
  /**
   * Limits of the client that reads publishers. A local server acts as a hostile publisher, configured as a trusted
   * mirror.
   */

  const listen = async (listener: RequestListener) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  let play: RequestListener;
  let stolen = 0;
  const [publisher, inside] = [
    await listen((request, response) => play(request, response)),
    await listen((_request, response) => {
      stolen += 1;
      response.end('secret');
    }),
  ];
  const folder = createFolder();
  beforeEach(() => {
    stolen = 0;
  });
  afterAll(() => {
    for (const { server } of [publisher, inside]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const trusting = (limits = {}) => new PublisherClient({ mirror: publisher.url, isMirrorTrusted: true, limits });
  const page = 'https://example.com/page';
  const download = (client: PublisherClient, url = page) =>
    client.download(url, { path: join(folder, 'file'), known: null });

  describe('a redirect', () => {
    const { port } = new URL(inside.url);
    it.each([
      ['a loopback address', `https://127.0.0.1:${port}/`],
      ['a loopback address without encryption', inside.url],
      ['a hostname of this machine', `https://localhost:${port}/`],
      ['an IP address written as a number', `https://2130706433:${port}/`],
      ['a cloud metadata address', 'https://169.254.169.254/latest/meta-data/'],
      ['a link-local address', 'https://[fe80::1]/'],
      ['IPv6 loopback', `https://[::1]:${port}/`],
      ['IPv4 in IPv6', `https://[::ffff:127.0.0.1]:${port}/`],
      ['a private network', 'https://10.0.0.1/'],
      ['plain http', 'http://93.184.215.14/'],
      ['a file', 'file:///etc/passwd'],
      ['itself in an endless loop', '/again'],
    ])('to %s is rejected at once', async (_what, location) => {
      play = (_request, response) => response.writeHead(302, { Location: location }).end();
      const reads = [() => trusting().readText(page), () => trusting().readVersion(page), () => download(trusting())];
      for (const read of reads)
        await expect(read()).rejects.toThrow(/is not a public address|instead of https|redirects more than/);
      expect(stolen).toBe(0);
    });

    it('to the same host is followed', async () => {
      play = ({ url }, response) => {
        if (url === '/other') response.end('text');
        else response.writeHead(301, { Location: '/other' }).end();
      };
      expect(await trusting().readText(page)).toBe('text');
    });
  });

  it.each([`${inside.url}/`, 'https://127.0.0.1/', 'https://localhost/', 'https://169.254.169.254/'])(
    'does not connect to %s if a page links to it, nor to an untrusted mirror there',
    async (url) => {
      const clients = [{ mirror: null }, { mirror: url }].map(
        ({ mirror }) => new PublisherClient({ mirror, isMirrorTrusted: false }),
      );
      for (const client of clients) await expect(download(client, url)).rejects.toThrow(/public address|https/);
      expect(stolen).toBe(0);
    },
  );

  describe('a slow response', () => {
    const drip: RequestListener = (_request, response) => {
      response.writeHead(200, { ETag: '"1"' });
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    };

    it('is aborted at the time limit of a page or a file', async () => {
      play = drip;
      const limits = { pageMs: 300, fileMs: 300 };
      await expect(trusting(limits).readText(page)).rejects.toThrow(/took longer than 0.3 s/);
      await expect(download(trusting(limits))).rejects.toThrow(/took longer than 0.3 s/);
    });

    it('is aborted when no data arrives, even before the headers', async () => {
      play = () => {};
      await expect(trusting({ pageMs: 300, stalledMs: 50 }).readText(page)).rejects.toThrow(PublisherFailure);
    });
  });

  describe('an unrequested compressed body', () => {
    const send = (body: Buffer, encoding: string) => {
      play = (_request, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body);
    };

    it('is decoded', async () => {
      send(gzipSync('rates'), 'gzip');
      expect(await trusting().readText(page)).toBe('rates');
      await download(trusting());
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('rates');
    });

    it('is limited by its decoded size', async () => {
      send(gzipSync(Buffer.alloc(5 * 1024 * 1024)), 'gzip');
      await expect(trusting().readText(page)).rejects.toThrow('larger than 4 MiB');
    });

    it('is rejected if the encoding is unknown', async () => {
      send(Buffer.from('rates'), 'secret');
      await expect(trusting().readText(page)).rejects.toThrow('encoded as secret');
    });
  });

  describe('isPublicAddress', () => {
    it.each(['8.8.8.8', '93.184.215.14', '172.15.0.1', '172.32.0.1', '2600:1f18::1', '2a00:1450::1'])(
      'accepts %s',
      (address) => expect(isPublicAddress(address)).toBe(true),
    );
    it.each([
      ...'0.0.0.0 10.1.2.3 100.64.0.1 127.8.9.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1'.split(' '),
      ...'192.0.0.8 192.0.2.1 192.88.99.1 198.19.0.1 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255'.split(' '),
      ...':: ::1 fe80::1 fd00::1 ff02::1 64:ff9b::7f00:1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 2001::1 2001:db8::1'.split(' '),
      ...'2002:7f00:1:: 3fff::1 localhost'.split(' '),
      '',
    ])('rejects %j', (address) => expect(isPublicAddress(address)).toBe(false));
  });

  describe('an unexpected status', () => {
    it('aborts the download: 101', async () => {
      play = ({ socket }) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');
      };
      await expect(download(trusting())).rejects.toThrow(PublisherFailure);
    });

    it.each([
      ['a partial file', 206, { 'Content-Range': 'bytes 5-9/10' }],
      ['not modified', 304, {}],
    ])('aborts the download: %s', async (_what, status, headers) => {
      play = (_request, response) => {
        response.writeHead(status, headers).end(status === 304 ? undefined : 'taxes');
      };
      await expect(download(trusting())).rejects.toThrow(PublisherFailure);
    });
  });
});

describe('links on a page', () => {
  /** Effects of a publisher's page and its file names on an update (findings R1 to R3). */

  const base = 'https://example.gov/rates/';
  const listFiles = (letters: string): readonly PublishedFile[] => {
    const publisher = publishers.find(({ state }) => state === letters);
    if (!publisher || publisher.format === null) throw new Error(`${letters} has no files.`);
    return publisher.files;
  };
  const found = (letters: string, text: string) => currentFiles(listFiles(letters), { readText: async () => text });
  const link = (...names: readonly string[]): string => names.map((name) => `<a href="${name}">x</a>`).join('');

  describe('listLinks', () => {
    it.each([
      ['<a href="a.csv">', ['https://example.gov/rates/a.csv']],
      ["<A class=x HREF='/b.csv?x=1&amp;y=2' id=z>B</a>", ['https://example.gov/b.csv?x=1&y=2']],
      ['<a href=c.csv>C</a><a name="top">', ['https://example.gov/rates/c.csv']],
      ['<a href="http://other.gov/d.csv"/>', ['https://other.gov/d.csv']],
      ['<a href="javascript:alert(1)"><a href="mailto:a@b.c"><a href="https://[x/">', []],
      ['<!-- <a href="e.csv"> --><script>"<a href=f.csv>"</script><abbr href="g.csv"><img href=h.csv>', []],
      ['<a href="i.csv"', []],
    ])('finds %s', (html, links) => {
      expect(listLinks(html, base).map(({ href }) => href)).toEqual(links);
    });

    // A tree of these tags took 338 s. `npm run fuzz` measures the time for such pages.
    it('parses a page of 4 MB of nested tags', () => {
      const links = listLinks('<div>'.repeat(800_000) + link('a.csv'), base);
      expect(links.map(({ href }) => href)).toEqual(['https://example.gov/rates/a.csv']);
    });
  });

  describe('a file name from a publisher', () => {
    it('is skipped if it has an invalid escape', async () => {
      const name = 'Domicile-Rate-Listing-October-2026.xlsx';
      expect(await found('LA', link('/docs/50%off.pdf', '/docs/%E0%A4%A', `/docs/${name}`))).toMatchObject([{ name }]);
    });

    it('cannot escape its folder', async () => {
      const [file] = await found('LA', link('/x/Domicile-Rate-..%2F..%2F..%2Fetc%2FOctober-2026.xlsx'));
      expect(file?.name).toBe('Domicile-Rate-.._.._.._etc_October-2026.xlsx');
    });

    it('is skipped if it contains a path, or is not of a feature service', async () => {
      const names = ['/../../x', '', '%2F..%2Fx'].map(
        (end) => `New_Mexico_gross_receipts_tax_July_2026_June_2027${end}`,
      );
      const newer = { name: 'New_Mexico_gross_receipts_tax_October_2026_June_2027', type: 'MapServer' };
      const services = [newer, ...names.map((name) => ({ name, type: 'FeatureServer' }))];
      const text = JSON.stringify({ services, layers: [{ id: 0, name: 'x' }] });
      expect(await found('NM', text)).toMatchObject([{ name: `${names[1]}.json` }]);
    });

    it('is skipped if it is 64 kB long, for every publisher', async () => {
      const long = [
        `Domicile${'Rate'.repeat(16_000)}.xlsx`,
        `Domicile-Rate-${'abc'.repeat(20_000)}`,
        `oct${'a'.repeat(64_000)}2026`,
      ];
      const reading = publishers.filter(
        ({ format, state }) => format && listFiles(state).some(({ find }) => find !== 'url'),
      );
      for (const { state } of reading) await expect(found(state, link(...long))).rejects.toThrow(PublisherFailure);
    });
  });

  describe('the current file', () => {
    const revision = 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026';
    it.each([
      ['KS', ['KSR2026Q4AUG5.csv', 'KSR2027Q1NOV18.csv', 'KSR2027Q1JAN3.csv'], 'KSR2027Q1JAN3.csv'],
      [
        'AZ',
        ['10012026', '11012026', '01012099'].map((day) => `TPT_RATETABLE_ALL_${day}.csv`),
        'TPT_RATETABLE_ALL_11012026.csv',
      ],
      [
        'CO',
        [`${revision}_Oct26.xlsx`, `${revision}.xlsx`, 'Colorado_Jurisdiction_Codes_Rates_Jan-June2026_Apr26.xlsx'],
        `${revision}_Oct26.xlsx`,
      ],
    ])('of %s is the newest of %j that is not in the future: %s', async (state, names, newest) => {
      const [file] = listFiles(state);
      expect(await currentFiles(file ? [file] : [], { readText: async () => link(...names) })).toMatchObject([
        { name: newest },
      ]);
    });

    it.each([
      [
        'AZ',
        link('TPT_RATETABLE_ALL_01012099.csv'),
        'has no link to a file such as TPT_RATETABLE_ALL_11012026.csv with a day up to',
      ],
      ['NM', JSON.stringify({ error: { code: 499 } }), 'does not list ArcGIS services'],
      [
        'NM',
        JSON.stringify({
          services: [{ name: 'New_Mexico_gross_receipts_tax_July_2026_June_2027', type: 'FeatureServer' }],
          layers: [0, 1].map((id) => ({ id, name: `Layer ${id}` })),
        }),
        'has 2 layers, and it is unclear which one has the rates',
      ],
    ])('of %s is not guessed from %s', async (state, text, says) => {
      await expect(found(state, text)).rejects.toThrow(says);
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
    ])('maps %j to %j', (name, safe) => expect(localName(name)).toBe(safe));

    it('returns a name within its folder that fits a file system, for any string', () => {
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.string()), (text) => {
          const name = localName(text);
          expect(name).not.toMatch(/[/\\\p{Cc}]|^\./u);
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
          expect(fileName(`/tmp/${name}`)).toBe(localName(name));
        }),
      );
    });

    it.each(['https://a.gov/', 'https://a.gov/%', `https://a.gov/${'a'.repeat(201)}`])('returns null for %s', (url) => {
      expect(nameInUrl(new URL(url))).toBe(null);
    });
  });
});

describe('publishers.json', () => {
  const pattern = z.string().check(z.refine((text) => /\(\?<month>.*\(\?<year>/.test(text) && RegExp(text) !== null));
  const file = { option: z.literal('file'), url: z.url() };
  const dated = { ...file, pattern, example: z.string() };
  const within = z.strictObject({ start: z.string(), word: z.string(), end: z.string() });
  const source = z.discriminatedUnion('find', [
    z.strictObject({ find: z.literal('url'), ...file }),
    z.strictObject({ find: z.literal('dated'), ...dated, within: z.optional(within) }),
    z.strictObject({ find: z.literal('service'), ...dated, fields: z.array(z.string()) }),
  ]);
  const cadence = z.enum(['monthly', 'quarterly', 'twice a year', 'yearly']);
  const named = { state: z.string().check(z.regex(/^[A-Z]{2}$/)), name: z.string(), cadence, covers: z.string() };
  const imported = { ...named, format: z.enum(Object.keys(importers)), files: z.array(source) };
  const Row = z.union([
    z.strictObject({ ...named, published: z.string() }),
    z.strictObject({ ...imported, layout: z.literal('cited') }),
    z.strictObject({ ...imported, layout: z.literal('unverified'), undocumented: z.string() }),
  ]);

  it.each(publisherRows)('has a valid row of $state', (row) => {
    expect(Row.safeParse(row).error).toBeUndefined();
  });
});

describe('staleness', () => {
  const getPublisher = (state: string) => {
    const publisher = publishers.find((one) => one.state === state);
    if (!publisher) throw new Error(`No publisher of ${state}.`);
    return publisher;
  };

  const record = (
    files: readonly { name: string; last_modified?: string | null; option?: string }[],
    more: Partial<UpdateRecord> = {},
  ): UpdateRecord => ({
    files: files.map((file) => ({ option: 'file', last_modified: null, ...file })),
    imported_at: null,
    failure: null,
    ...more,
  });

  /** Minnesota's quarterly rate and boundary files, with these strings in their names. */
  const minnesota = (rates: string, boundaries = rates): UpdateRecord =>
    record([
      { option: 'rates', name: `MNR${rates}.zip` },
      { option: 'boundaries', name: `MNB${boundaries}.zip` },
    ]);

  const current = { isStale: false, reason: null };

  describe('the days of a publication', () => {
    it.each([
      ['2026Q4AUG18', { quarter: '2026-10-01', posted: '2026-08-18' }],
      ['2026Q4OCT2', { quarter: '2026-10-01', posted: '2026-10-02' }],
      ['2027Q1NOV05', { quarter: '2027-01-01', posted: '2026-11-05' }],
      ['2027Q1JUL01', { quarter: '2027-01-01', posted: '2026-07-01' }],
      ['2027Q1JUN30', { quarter: '2027-01-01', posted: '2027-06-30' }],
      ['2026Q4XYZ18', null],
      ['2026Q5AUG18', null],
    ])('parses %s', (text, expected) => {
      expect(publicationIn(text)).toEqual(expected);
    });
  });

  describe('the age of official files', () => {
    it.each([
      ['New_Mexico_gross_receipts_tax_July_2026_June_2027', '2027-07-08'],
      ['New_Mexico_gross_receipts_tax_July_December_2026', '2027-01-08'],
      ['New_Mexico_gross_receipts_tax_July_2026', '2027-01-08'],
    ])('is current until the last month in its name: %s', (name, nextExpected) => {
      const source = record([{ name }]);
      expect(staleness(getPublisher('NM'), source, nextExpected)).toEqual({
        asOf: '2026-07-01',
        nextExpected,
        ...current,
      });
    });

    it('is current until the end of the grace period, and stale on the next day', () => {
      const source = minnesota('2026Q4AUG18');
      expect(staleness(getPublisher('MN'), source, '2027-01-08')).toMatchObject(current);
      expect(staleness(getPublisher('MN'), source, '2027-01-09')).toEqual({
        asOf: '2026-08-18',
        nextExpected: '2027-01-08',
        isStale: true,
        reason: 'The newest file is from 2026-08-18; the next one was due by 2027-01-08.',
      });
    });

    it('uses the newer of two files, by quarter and then by day', () => {
      const days = { asOf: '2026-11-20', nextExpected: '2027-04-08' };
      expect(staleness(getPublisher('MN'), minnesota('2026Q4DEC10', '2027Q1NOV20'), '2027-04-08')).toMatchObject(days);
      expect(staleness(getPublisher('MN'), minnesota('2027Q1NOV20', '2026Q4DEC10'), '2027-04-08')).toMatchObject(days);
      const corrected = staleness(getPublisher('MN'), minnesota('2026Q4AUG18', '2026Q4NOV02'), '2026-11-20');
      expect(corrected).toMatchObject({ asOf: '2026-11-02', nextExpected: '2027-01-08' });
    });

    it.each([
      ['MO', 'oct2026.xlsx', '2026-10-01', '2027-01-08'],
      ['AZ', 'TPT_RATETABLE_ALL_12012026.csv', '2026-12-01', '2027-01-08'],
      ['AZ', 'TPT_RATETABLE_ALL_02292028.csv', '2028-02-29', '2028-03-08'],
      ['AK', 'ARSSTC-Sales-Tax-Rate-Sheet-11-1-26.xlsx', '2026-11-01', '2026-12-08'],
    ])('of %s uses the day in the name %s', (state, name, asOf, nextExpected) => {
      expect(staleness(getPublisher(state), record([{ name }]), asOf)).toEqual({ asOf, nextExpected, ...current });
    });

    // In the last third of a period, a file is for the next period.
    it.each([
      ['TX', 'Tue, 01 Sep 2026 23:59:59 GMT', '2026-09-01', '2027-01-08'],
      ['TX', 'Mon, 31 Aug 2026 00:00:00 GMT', '2026-08-31', '2026-10-08'],
      ['TX', 'Sat, 31 Oct 2026 12:00:00 GMT', '2026-10-31', '2027-01-08'],
      ['TX', 'Thu, 31 Dec 2026 12:00:00 GMT', '2026-12-31', '2027-04-08'],
      ['AL', 'Fri, 18 Feb 2028 12:00:00 GMT', '2028-02-18', '2028-03-08'],
      ['AL', 'Sat, 19 Feb 2028 12:00:00 GMT', '2028-02-19', '2028-03-08'],
      ['AL', 'Sun, 20 Feb 2028 12:00:00 GMT', '2028-02-20', '2028-04-08'],
      ['AL', 'Fri, 19 Feb 2027 12:00:00 GMT', '2027-02-19', '2027-04-08'],
      ['AL', 'Tue, 29 Feb 2028 12:00:00 GMT', '2028-02-29', '2028-04-08'],
      ['IL', 'Wed, 01 Jul 2026 12:00:00 GMT', '2026-07-01', '2027-01-08'],
      ['IL', 'Mon, 01 Jun 2026 12:00:00 GMT', '2026-06-01', '2027-01-08'],
      ['VA', 'Wed, 01 Jul 2026 12:00:00 GMT', '2026-07-01', '2027-01-08'],
    ])('of %s uses Last-Modified %s', (state, last_modified, asOf, nextExpected) => {
      const source = record([{ name: 'current.txt', last_modified }], { imported_at: '2020-01-01T00:00:00.000Z' });
      expect(staleness(getPublisher(state), source, asOf)).toEqual({ asOf, nextExpected, ...current });
    });

    it.each([null, 'yesterday'])('uses the day of the import if Last-Modified is invalid: %s', (last_modified) => {
      const source = record([{ name: 'taxrates.txt', last_modified }], { imported_at: '2026-10-05T23:00:00.000Z' });
      const days = { asOf: '2026-10-05', nextExpected: '2027-01-08' };
      expect(staleness(getPublisher('TX'), source, '2026-10-06')).toEqual({ ...days, ...current });
    });

    it.each([
      ['2026Q4FEB30', 'a day that the calendar does not have'],
      ['-latest', 'no day'],
    ])('ignores %s in a file name: %s', (text) => {
      const source = { ...minnesota(text), imported_at: '2026-10-05T23:00:00.000Z' };
      expect(staleness(getPublisher('MN'), source, '2026-10-06').asOf).toBe('2026-10-05');
    });
  });

  describe('failing updates', () => {
    const failing = { ...minnesota('2026Q4AUG18'), failure: { since: '2026-10-20T23:59:00.000Z' } };

    it('are reported from the seventh day', () => {
      expect(staleness(getPublisher('MN'), failing, '2026-10-26')).toMatchObject(current);
      expect(staleness(getPublisher('MN'), failing, '2026-10-27')).toEqual({
        asOf: '2026-08-18',
        nextExpected: '2027-01-08',
        isStale: true,
        reason: 'Updates have failed since 2026-10-20.',
      });
    });

    it('are reported together with an old file', () => {
      expect(staleness(getPublisher('MN'), failing, '2027-01-09').reason).toBe(
        'The newest file is from 2026-08-18; the next one was due by 2027-01-08. Updates have failed since 2026-10-20.',
      );
    });
  });

  it.each(['MN', 'FL'])('is not stale if a state was never updated from its publisher: %s', (state) => {
    const nothing = { asOf: null, nextExpected: null, ...current };
    expect(staleness(getPublisher(state), null, '2026-11-23')).toEqual(nothing);
    expect(staleness(getPublisher(state), record([]), '2026-11-23')).toEqual(nothing);
  });
});
