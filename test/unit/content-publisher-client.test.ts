/** Limits of the client that reads publishers. A local server plays a hostile one, as a trusted mirror. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../shared/importers/updates/public-addresses.ts';
import { PublisherClient, PublisherFailure } from '../../shared/importers/updates/publisher-client.ts';

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
const folder = mkdtempSync(join(tmpdir(), 'levy-client-'));
beforeEach(() => {
  stolen = 0;
});
afterAll(() => {
  for (const { server } of [publisher, inside]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
});

const trusting = (limits = {}) => new PublisherClient({ mirror: publisher.url, isMirrorTrusted: true, limits });
const page = 'https://example.com/page';
const download = (client: PublisherClient, url = page) =>
  client.download(url, { path: join(folder, 'file'), known: null });

describe('a publisher that redirects', () => {
  const { port } = new URL(inside.url);
  it.each([
    ['a loopback address', `https://127.0.0.1:${port}/`],
    ['a loopback address without encryption', inside.url],
    ['a name of this machine', `https://localhost:${port}/`],
    ['an address that is written as a number', `https://2130706433:${port}/`],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data/'],
    ['a link-local address', 'https://[fe80::1]/'],
    ['IPv6 loopback', `https://[::1]:${port}/`],
    ['IPv4 in IPv6', `https://[::ffff:127.0.0.1]:${port}/`],
    ['a private network', 'https://10.0.0.1/'],
    ['plain http', 'http://93.184.215.14/'],
    ['a file', 'file:///etc/passwd'],
    ['itself, for ever', '/again'],
  ])('to %s is refused, at once', async (_what, location) => {
    play = (_request, response) => response.writeHead(302, { Location: location }).end();
    for (const read of [trusting().readText(page), trusting().readVersion(page), download(trusting())])
      await expect(read).rejects.toThrow(/is not a public address|instead of https|redirects more than/);
    expect(stolen).toBe(0);
  });

  it('to itself is followed', async () => {
    play = ({ url }, response) => {
      if (url === '/other') response.end('text');
      else response.writeHead(301, { Location: '/other' }).end();
    };
    expect(await trusting().readText(page)).toBe('text');
  });
});

it.each([`${inside.url}/`, 'https://127.0.0.1/', 'https://localhost/', 'https://169.254.169.254/'])(
  'does not connect to %s, to which a page links, nor to a mirror there that is not trusted',
  async (url) => {
    const clients = [{ mirror: null }, { mirror: url }].map(
      ({ mirror }) => new PublisherClient({ mirror, isMirrorTrusted: false }),
    );
    for (const client of clients) await expect(download(client, url)).rejects.toThrow(/public address|https/);
    expect(stolen).toBe(0);
  },
);

describe('a publisher that drips bytes', () => {
  const drip: RequestListener = (_request, response) => {
    response.writeHead(200, { ETag: '"1"' });
    const timer = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(timer));
  };

  it('is left after the limit of a page or a file', async () => {
    play = drip;
    const limits = { pageMs: 300, fileMs: 300 };
    await expect(trusting(limits).readText(page)).rejects.toThrow(/took longer than 0.3 s/);
    await expect(download(trusting(limits))).rejects.toThrow(/took longer than 0.3 s/);
  });

  it('ends when no data arrives, even before the headers', async () => {
    play = () => {};
    await expect(trusting({ pageMs: 300, stalledMs: 50 }).readText(page)).rejects.toThrow(PublisherFailure);
  });
});

describe('a compressed body that nobody requested', () => {
  const send = (body: Buffer, encoding: string) => {
    play = (_request, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body);
  };

  it('is decoded', async () => {
    send(gzipSync('rates'), 'gzip');
    expect(await trusting().readText(page)).toBe('rates');
    await download(trusting());
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('rates');
  });

  it('counts decoded', async () => {
    send(gzipSync(Buffer.alloc(5 * 1024 * 1024)), 'gzip');
    await expect(trusting().readText(page)).rejects.toThrow('more than 4 MiB');
  });

  it('is refused in an unknown encoding', async () => {
    send(Buffer.from('rates'), 'secret');
    await expect(trusting().readText(page)).rejects.toThrow('encoded as secret');
  });
});

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '93.184.215.14', '172.15.0.1', '172.32.0.1', '2600:1f18::1', '2a00:1450::1'])(
    'takes %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.8.9.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.168.1.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fd00::1', 'ff02::1', '64:ff9b::7f00:1'],
    ...['::ffff:10.0.0.1', '::ffff:8.8.8.8', '2002:7f00:1::', '2001:db8::1', 'localhost', ''],
  ])('refuses %j', (address) => expect(isPublicAddress(address)).toBe(false));

  it('takes no address of a loopback, private or link-local network', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(
        fc.constantFrom([127], [10], [169, 254], [192, 168], [172, 20]),
        octet,
        octet,
        octet,
        (net, a, b, c) => {
          expect(isPublicAddress([...net, a, b, c].slice(0, 4).join('.'))).toBe(false);
        },
      ),
    );
  });
});

describe('a status that no request asked for', () => {
  it('101 ends the download', async () => {
    play = ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');
    };
    await expect(download(trusting())).rejects.toThrow(PublisherFailure);
  });

  it.each([
    ['a part of the file', 206, { 'Content-Range': 'bytes 5-9/10' }],
    ['no change', 304, {}],
  ])('%s ends the download', async (_what, status, headers) => {
    play = (_request, response) => {
      response.writeHead(status, headers).end(status === 304 ? undefined : 'taxes');
    };
    await expect(download(trusting())).rejects.toThrow(PublisherFailure);
  });
});
