/** A proxy between the clients and the service. It loses requests and responses, and kills the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../shared/config/clock.ts';
import { must } from '../model/book.ts';
import type { Call } from '../support/api.ts';
import { breakingProxy, type Passed, type Passing, pass } from '../support/breaking-proxy.ts';
import { type ApiResponse, type Request, send } from '../support/http.ts';
import { seeded } from '../support/seeded.ts';
import type { Service } from './service.ts';

/**
 * The fault of one attempt. `hasty`: the client disconnects while the service is still processing the request.
 * `killed`: the service is killed some milliseconds after the request arrived.
 */
type Fate = 'arrives' | 'request lost' | 'response lost' | 'hasty' | 'killed';
// Weighted by repetition, because a kill takes seconds.
const fates: readonly Fate[] = [
  ...Array<Fate>(4).fill('request lost'),
  ...Array<Fate>(5).fill('response lost'),
  ...Array<Fate>(4).fill('hasty'),
  'killed',
];
type Drawn = { readonly fate: Fate; readonly delayMs: number };
const lossShare = 0.22;
const attemptsMax = 200;
const dayMs = 86_400_000;
const [fateHeader, numberHeader] = ['x-attack-fate', 'x-attack-request'];

export type Network = Awaited<ReturnType<typeof openNetwork>>;

/**
 * Opens a proxy in front of the service, which injects the fault that a request header names. `random` returns a number
 * below 1.
 */
export const openNetwork = async (service: Service, random: () => number) => {
  /** The lost responses, by the number of their request. */
  const lost = new Map<string, Passed[]>();
  const running = new Set<Promise<unknown>>();
  const lose = ({ headers }: Passing, response: Passed) => {
    const number = headers[numberHeader] ?? '';
    lost.set(number, [...(lost.get(number) ?? []), response]);
  };
  const { url, close } = await breakingProxy(service.url, {
    there: (passing) => {
      const fate = passing.headers[fateHeader];
      if (fate === 'hasty') {
        const work = pass(service.url, passing).then(
          (response) => lose(passing, response),
          () => null,
        );
        running.add(work);
        work.then(() => running.delete(work));
      }
      return fate === 'request lost' || fate === 'hasty' ? 'hang up' : undefined;
    },
    back: (passed, passing) => {
      if (passing.headers[fateHeader] !== 'response lost') return undefined;
      lose(passing, passed);
      return 'hang up';
    },
  });
  let [requests, attempts] = [0, 0];

  /** Returns `null` for a lost response, and for a response that a client retries. */
  const attempt = async (
    method: string,
    path: string,
    request: Request,
    { fate, delayMs }: Drawn,
  ): Promise<ApiResponse | null> => {
    attempts += 1;
    await service.ready();
    try {
      const sending = send(url, method, path, { ...request, headers: { ...request.headers, [fateHeader]: fate } });
      if (fate === 'killed') {
        sending.catch(() => {});
        await sleep(delayMs);
        service.kill();
      }
      const response = await sending;
      return response.status > 500 || response.status === 429 || fate === 'killed' ? null : response;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return null;
      throw error;
    }
  };

  const draw = (own: () => number, kills: boolean): Drawn => {
    const [isLost, fate, delayMs] = [own() <= lossShare, fates[Math.floor(own() * fates.length)] as Fate, own() * 60];
    return { fate: isLost && (kills || fate !== 'killed') ? fate : 'arrives', delayMs };
  };

  /**
   * A client that retries each request until it gets a response. With `kills`, the service can be killed during a
   * request. A write without an idempotency key gets a generated key.
   */
  const connectClient = (apiKey: string, kills: boolean): Call => {
    /** The time of the first response to a key, by path and key. The service keeps a key for a day. */
    const answered = new Map<string, number>();
    // A separate random series for each client, so other clients' requests do not change it.
    const own = seeded(Math.floor(random() * 2 ** 31));
    const call = async (method: string, path: string, request: Request = {}): Promise<ApiResponse> => {
      const number = String(++requests);
      const ownKey = method === 'POST' ? { 'Idempotency-Key': `request ${number}` } : {};
      const headers = { 'X-API-Key': apiKey, [numberHeader]: number, ...ownKey, ...request.headers };
      const keyed = `${path} ${headers['Idempotency-Key']}`;
      const isFirst = (answered.get(keyed) ?? 0) + dayMs <= now();
      // The fault is drawn before the attempts, so their number does not change the series.
      const drawn = [draw(own, kills), draw(own, kills)];
      for (let at = 0; at < attemptsMax; at += 1) {
        const response = await attempt(
          method,
          path,
          { ...request, headers },
          drawn[at] ?? { fate: 'arrives', delayMs: 0 },
        );
        if (!response) {
          await sleep(20);
          continue;
        }
        await Promise.all(running);
        const isDry = (request.body as { readonly dry_run?: boolean } | undefined)?.dry_run === true;
        const isKept = method === 'POST' && !path.startsWith('/calculations') && response.status < 300 && !isDry;
        const responses = [response, ...(lost.get(number) ?? [])].filter(({ status }) => status < 300);
        if (isKept) {
          const texts = new Set(responses.map(({ status, text }) => `${status} ${text}`));
          const made = responses.filter((one) => !one.headers.has('idempotent-replayed')).length;
          must(texts.size === 1 && made <= 1, `${path} has several results under one key: ${[...texts].join()}`);
        }
        // The caller has not received a response to this key, so it does not expect a replay.
        if (isFirst) response.headers.delete('idempotent-replayed');
        if (isKept && isFirst) answered.set(keyed, now());
        return response;
      }
      throw new Error(`${method} ${path} is never answered.`);
    };
    return call as Call;
  };
  /** The number of attempts so far. */
  const count = () => attempts;
  return { connectClient, count, close };
};
