import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { kindOf, sendAtRate } from '../load/arrivals.ts';
import { type Outcome, openConnection } from '../load/connection.ts';
import { readOptions } from '../load/options.ts';
import { latenciesOf, newTally, percentile } from '../load/tally.ts';

const host = '127.0.0.1';
const running: { close: () => unknown }[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.close();
});

const listen = async <Listening extends Server | ReturnType<typeof createSocketServer>>(server: Listening) => {
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  running.push(server);
  return (server.address() as AddressInfo).port;
};
const connectionTo = (port: number) => {
  const connection = openConnection(port, host);
  running.unshift(connection);
  return connection;
};
const askVia = (connection: ReturnType<typeof connectionTo>, path = '/'): Promise<Outcome> =>
  new Promise((tell) => connection.ask(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`), tell));

describe('a connection', () => {
  it('answers with status and body, one request after another on one socket', async () => {
    const sockets = new Set();
    const port = await listen(
      createServer(({ url, socket }, response) => {
        sockets.add(socket);
        response.statusCode = 201;
        response.end(`you asked ${url}, ß`);
      }),
    );
    const connection = connectionTo(port);
    expect(await askVia(connection, '/one')).toEqual({ status: 201, body: 'you asked /one, ß' });
    expect(await askVia(connection, '/two')).toEqual({ status: 201, body: 'you asked /two, ß' });
    expect(sockets.size).toBe(1);
  });

  it('puts together an answer that comes in pieces', async () => {
    const port = await listen(
      createSocketServer((socket) => {
        socket.once('data', async () => {
          for (const piece of ['HTTP/1.1 200 OK\r\nContent-Le', 'ngth: 4\r\n\r', '\nab', 'cd']) {
            socket.write(piece);
            await sleep(5);
          }
        });
      }),
    );
    expect(await askVia(connectionTo(port))).toEqual({ status: 200, body: 'abcd' });
  });

  it.each([
    ['hangs up', '', 'closed'],
    ['says no length', 'HTTP/1.1 200 OK\r\n\r\n', 'an answer without a Content-Length'],
  ])('calls it a failure when the service %s, and asks again on a new socket', async (_how, first, failure) => {
    let asked = 0;
    const port = await listen(
      createSocketServer((socket) => {
        socket.once('data', () => {
          asked += 1;
          socket.end(asked === 1 ? first : 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n');
        });
      }),
    );
    const connection = connectionTo(port);
    expect(await askVia(connection)).toEqual({ failure });
    expect(await askVia(connection)).toEqual({ status: 204, body: '' });
  });

  it('calls it a failure when nobody listens', async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    expect(await askVia(connectionTo(port))).toEqual({ failure: 'ECONNREFUSED' });
  });
});

describe('the arrivals', () => {
  it.each([
    { calculations: 2000, creates: 300 },
    { calculations: 0, creates: 7 },
    { calculations: 7, creates: 0 },
    { calculations: 1, creates: 3 },
  ])('have as many of each kind as asked, spread evenly: %o', (rate) => {
    const all = rate.calculations + rate.creates;
    const kinds = Array.from({ length: all * 2 }, (_, number) => kindOf(number, rate));
    for (let from = 0; from <= all; from += 97) {
      const creates = kinds.slice(from, from + all).filter((kind) => kind === 'create').length;
      expect(Math.abs(creates - rate.creates)).toBeLessThanOrEqual(from === 0 ? 0 : 1);
    }
  });

  it('count the time that a request waited for a service that stood still', async () => {
    const stalledMs = 400;
    let asked = 0;
    const port = await listen(
      createServer(async (_message, response) => {
        asked += 1;
        if (asked === 1) await sleep(stalledMs);
        response.end('{}');
      }),
    );
    const generator = {
      connections: [connectionTo(port)],
      requestOf: () => Buffer.from('GET / HTTP/1.1\r\nHost: here\r\n\r\n'),
    };
    const tally = await sendAtRate(generator, { calculations: 100, creates: 0 }, 0.5);
    expect(tally.statuses()).toEqual({ 200: 50 });
    expect(tally.end().unanswered).toBe(0);
    // A closed loop would have seen one slow answer. Those that were due meanwhile waited too, each 10 ms less.
    expect(tally.latencies('calculation').p50).toBeGreaterThan(100);
    expect(tally.troubledUntilMs(100)).toBeGreaterThanOrEqual(200);
  });
});

describe('the tally', () => {
  it('takes percentiles by the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(latenciesOf(hundred)).toEqual({ p50: 50, p90: 90, p99: 99, max: 100 });
    expect(percentile([7], 0.5)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('tells good answers from refusals and failures, and when the last trouble was', () => {
    const tally = newTally();
    tally.record('calculation', { status: 200, body: '' }, 200, 10, 5);
    tally.record('create', { status: 429, body: '' }, 201, 20, 1);
    tally.record('create', { status: 201, body: '' }, 201, 30, 900);
    tally.record('calculation', { failure: 'closed' }, 200, 15, 2);
    expect(tally.statuses()).toEqual({ 200: 1, 201: 1, 429: 1, closed: 1 });
    expect(tally.good()).toBe(2);
    expect(tally.latencies('create').max).toBe(900);
    expect(tally.troubledUntilMs()).toBe(20);
    expect(tally.troubledUntilMs(500)).toBe(30);
  });
});

describe('the options', () => {
  it('are the aim, unless others are given', () => {
    expect(readOptions([])).toEqual({ calculations: 2000, creates: 300, seconds: 60, times: 3, workers: 2 });
    expect(readOptions(['--seconds', '5', '--creates=0'])).toMatchObject({ seconds: 5, creates: 0 });
  });

  it.each([
    ['--seconds', '0'],
    ['--seconds', 'x'],
    ['--calculations', '-1'],
    ['--calculations=0', '--creates=0'],
    ['--colour', 'red'],
  ])('are refused: %s %s', (...words) => {
    expect(() => readOptions(words)).toThrow();
  });
});
