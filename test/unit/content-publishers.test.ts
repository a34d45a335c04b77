import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { importers } from '../../shared/importers/importers.ts';
import { fileName, localName, nameInUrl, publicationIn } from '../../shared/importers/updates/file-names.ts';
import { currentFiles, listLinks } from '../../shared/importers/updates/find-file.ts';
import { PublisherClient, PublisherFailure } from '../../shared/importers/updates/publisher-client.ts';
import publisherRows from '../../shared/importers/updates/publishers.json' with { type: 'json' };
import { type PublishedFile, publishers } from '../../shared/importers/updates/publishers.ts';
import { isPublicAddress } from '../../shared/importers/updates/request.ts';
import { publishedIn, staleness } from '../../shared/importers/updates/staleness.ts';
import { schemaErrors, stalenessCases } from '../support/facts.ts';
import { listen } from '../support/http.ts';
import { createFolder } from '../support/temporary-files.ts';

describe('the publisher client', async () => {
  /**
   * Limits of the client that reads publishers. A local server acts as a hostile publisher, configured as a trusted
   * mirror.
   */

  let play: RequestListener;
  let stolen = 0;
  const steal: RequestListener = (_request, response) => {
    stolen += 1;
    response.end('secret');
  };
  const publisher = await listen(createServer((request, response) => play(request, response)));
  const inside = await listen(createServer(steal));
  const folder = createFolder();
  beforeEach(() => {
    stolen = 0;
  });
  afterAll(() => {
    publisher.close();
    inside.close();
  });

  const trusting = (limits = {}) => new PublisherClient({ mirror: publisher.url, isMirrorTrusted: true, limits });
  const page = 'https://example.com/page';
  const download = (client: PublisherClient, url = page) =>
    client.download(url, { path: join(folder, 'file'), known: null });

  describe('redirects', () => {
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
    ])('rejects a redirect to %s immediately', async (_what, location) => {
      play = (_request, response) => response.writeHead(302, { Location: location }).end();
      const reads = [() => trusting().readText(page), () => trusting().readVersion(page), () => download(trusting())];
      for (const read of reads)
        await expect(read()).rejects.toThrow(/is not a public address|instead of https|redirects more than/);
      expect(stolen).toBe(0);
    });

    it('follows a redirect to the same host', async () => {
      play = ({ url }, response) => {
        if (url === '/other') response.end('text');
        else response.writeHead(301, { Location: '/other' }).end();
      };
      expect(await trusting().readText(page)).toBe('text');
    });
  });

  it.each([`${inside.url}/`, 'https://127.0.0.1/', 'https://localhost/', 'https://169.254.169.254/'])(
    'connects to %s neither from a link on a page nor as an untrusted mirror',
    async (url) => {
      const clients = [{ mirror: null }, { mirror: url }].map(
        ({ mirror }) => new PublisherClient({ mirror, isMirrorTrusted: false }),
      );
      for (const client of clients) await expect(download(client, url)).rejects.toThrow(/public address|https/);
      expect(stolen).toBe(0);
    },
  );

  describe('slow responses', () => {
    const drip: RequestListener = (_request, response) => {
      response.writeHead(200, { ETag: '"1"' });
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    };

    it('aborts a response at the time limit of a page or a file', async () => {
      play = drip;
      const limits = { pageMs: 300, fileMs: 300 };
      await expect(trusting(limits).readText(page)).rejects.toThrow(/took longer than 0.3 s/);
      await expect(download(trusting(limits))).rejects.toThrow(/took longer than 0.3 s/);
    });

    it.each([
      ['before the headers', () => {}],
      ['after the first bytes', (_request, response) => response.writeHead(200).write('.')],
    ] as [string, RequestListener][])(
      'aborts a response when no data arrives %s, and repeats the request',
      async (_when, stall) => {
        let requests = 0;
        play = (request, response) => {
          requests += 1;
          if (requests === 1) stall(request, response);
          else response.end('text');
        };
        expect(await trusting({ stalledMs: 50 }).readText(page)).toBe('text');
        expect(requests).toBe(2);
      },
    );
  });

  describe('unrequested compressed bodies', () => {
    const send = (body: Buffer, encoding: string) => {
      play = (_request, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body);
    };

    it('decodes the body', async () => {
      send(gzipSync('rates'), 'gzip');
      expect(await trusting().readText(page)).toBe('rates');
      await download(trusting());
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('rates');
    });

    it.each([
      ['that is too large when it is decoded', gzipSync(Buffer.alloc(5 * 1024 * 1024)), 'gzip', 'larger than 4 MiB'],
      ['with an unknown encoding', Buffer.from('rates'), 'secret', 'encoded as secret'],
    ])('rejects a body %s', async (_, body, encoding, refusal) => {
      send(body, encoding);
      await expect(trusting().readText(page)).rejects.toThrow(refusal);
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

  describe('unexpected statuses', () => {
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
  /** Effects of a publisher's page and its file names on an update. */

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

    // Building a tree of these tags took 338 s. `npm run fuzz` measures the time for such pages.
    it('parses a page of 4 MB of nested tags', () => {
      const links = listLinks('<div>'.repeat(800_000) + link('a.csv'), base);
      expect(links.map(({ href }) => href)).toEqual(['https://example.gov/rates/a.csv']);
    });
  });

  describe('file names from publishers', () => {
    it('skips a name with an invalid escape', async () => {
      const name = 'Domicile-Rate-Listing-October-2026.xlsx';
      expect(await found('LA', link('/docs/50%off.pdf', '/docs/%E0%A4%A', `/docs/${name}`))).toMatchObject([{ name }]);
    });

    it('keeps every name within its folder', async () => {
      const [file] = await found('LA', link('/x/Domicile-Rate-..%2F..%2F..%2Fetc%2FOctober-2026.xlsx'));
      expect(file?.name).toBe('Domicile-Rate-.._.._.._etc_October-2026.xlsx');
    });

    it('skips a name that contains a path, or that is not the name of a feature service', async () => {
      const names = ['/../../x', '', '%2F..%2Fx'].map(
        (end) => `New_Mexico_gross_receipts_tax_July_2026_June_2027${end}`,
      );
      const newer = { name: 'New_Mexico_gross_receipts_tax_October_2026_June_2027', type: 'MapServer' };
      const services = [newer, ...names.map((name) => ({ name, type: 'FeatureServer' }))];
      const text = JSON.stringify({ services, layers: [{ id: 0, name: 'x' }] });
      expect(await found('NM', text)).toMatchObject([{ name: `${names[1]}.json` }]);
    });

    it('skips a name of 64 kB, for every publisher', async () => {
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

  describe('current files', () => {
    const colorado = ['July-Dec2026_Oct26', 'July-Dec2026', 'Jan-June2026_Apr26'];
    it.each([
      ['KS', 'KSR*.csv', ['2026Q4AUG5', '2027Q1NOV18', '2027Q1JAN3'], '2027Q1JAN3'],
      ['AZ', 'TPT_RATETABLE_ALL_*.csv', ['10012026', '11012026', '01012099'], '11012026'],
      ['CO', 'Colorado_Jurisdiction_Codes_Rates_*.xlsx', colorado, 'July-Dec2026_Oct26'],
    ])(
      'selects the newest file that is not in the future for $0 from $1 and $2: $3',
      async (state, name, days, last) => {
        const files = listFiles(state).slice(0, 1);
        const names = days.map((day) => name.replace('*', day));
        const found = await currentFiles(files, { readText: async () => link(...names) });
        expect(found).toMatchObject([{ name: name.replace('*', last) }]);
      },
    );

    const services = [{ name: 'New_Mexico_gross_receipts_tax_July_2026_June_2027', type: 'FeatureServer' }];
    const twoLayers = JSON.stringify({ services, layers: [0, 1].map((id) => ({ id, name: `Layer ${id}` })) });
    const future = link('TPT_RATETABLE_ALL_01012099.csv');
    it.each([
      ['AZ', future, 'has no link to a file such as TPT_RATETABLE_ALL_11012026.csv with a day up to'],
      ['NM', JSON.stringify({ error: { code: 499 } }), 'does not list ArcGIS services'],
      ['NM', twoLayers, 'has 2 layers, and it is unclear which one has the rates'],
    ])('does not guess the current file of %s from %s', async (state, text, says) => {
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

it.each(publisherRows)('contains a valid row for $state in publishers.json', (row) => {
  expect(schemaErrors('publisher', row)).toEqual([]);
  if ('format' in row) expect(Object.keys(importers)).toContain(row.format);
  for (const file of row.files ?? [])
    if ('pattern' in file) expect(() => new RegExp(String(file.pattern))).not.toThrow();
});

describe('stale publications', () => {
  it.each([
    ['2026Q4AUG18', { quarter: '2026-10-01', posted: '2026-08-18' }],
    ['2026Q4OCT2', { quarter: '2026-10-01', posted: '2026-10-02' }],
    ['2027Q1NOV05', { quarter: '2027-01-01', posted: '2026-11-05' }],
    ['2027Q1JUL01', { quarter: '2027-01-01', posted: '2026-07-01' }],
    ['2027Q1JUN30', { quarter: '2027-01-01', posted: '2027-06-30' }],
    ['2026Q4XYZ18', null],
    ['2026Q5AUG18', null],
  ])('parses the publication %s', (text, expected) => expect(publicationIn(text)).toEqual(expected));

  it.each(stalenessCases)('reports $as_of, $next_expected, $reason for $state with $files on $day $note', (row) => {
    const publisher = publishers.find((one) => one.state === row.state) as (typeof publishers)[number];
    const names = row.files.split(' ').filter(Boolean);
    const last_modified = row.last_modified || null;
    const options = names.length === 1 ? ['file'] : ['rates', 'boundaries'];
    const record = {
      files: names.map((name, at) => ({ option: options[at] ?? '', name, last_modified })),
      imported_at: row.imported ? `${row.imported}T23:00:00.000Z` : null,
      failure: row.failing_since ? { since: `${row.failing_since}T23:59:00.000Z` } : null,
    };
    const dates = { asOf: row.as_of || null, nextExpected: row.next_expected || null };
    const expected = { ...dates, reason: row.reason || null };
    expect(staleness(publisher, record, row.day)).toEqual(expected);
    if (names.length === 0) expect(staleness(publisher, null, row.day)).toEqual(expected);
  });

  it.each([
    ['a file of the publisher by the quarter in its name', 'MN sst MNR2026Q4AUG18.csv', '2026-08-18', '2027-01-08'],
    ['a later one of two files', 'MN sst MNR2026Q3MAY18.csv MNB2026Q4AUG18.csv', '2026-08-18', '2027-01-08'],
    ['a file of the publisher without a day, posted in advance', 'TX texas taxrates.txt', '2026-12-05', '2027-04-08'],
    ['another table by the day of its import', 'TX woocommerce tax_rates.csv', '2026-12-05', '2027-01-08'],
    ['another table by the month in its name', 'TX zip-rates TAXRATES_ZIP5_TX202606.csv', '2026-06-01', '2026-07-08'],
    ['a table of a yearly publisher', 'FL zip-rates TAXRATES_ZIP5_FL202606.csv', '2026-06-01', '2027-01-08'],
  ])('dates %s', (_what, publication, as_of, due) => {
    const [state, format = '', ...names] = publication.split(' ');
    const files = names.map((name) => ({ name }));
    expect(publishedIn(`US-${state}`, format, files, '2026-12-05')).toEqual({ as_of, due });
  });

  it('does not date the files of a state without a publisher', () => {
    expect(publishedIn('US-MT', 'woocommerce', [{ name: 'tax_rates.csv' }], '2026-12-05')).toBeUndefined();
  });
});
