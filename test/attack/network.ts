/** The network between the clients and the service, which loses requests and replies and kills the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { breakingProxy, pass } from '../support/breaking-proxy.ts';
import { type Answer, send } from '../support/http.ts';
import type { Book } from './book.ts';
import type { Draw } from './draw.ts';
import type { Service } from './processes.ts';
import { must } from './violation.ts';

/**
 * The fault of one attempt. `hasty`: the client disconnects while the service is still processing the request.
 * `killed`: the service is killed some milliseconds after the request arrived.
 */
type Fate = 'arrives' | 'request lost' | 'reply lost' | 'hasty' | 'killed';
const fateHeader = 'x-attack-fate';

export type Network = {
  readonly url: string;
  /** The number of attempts so far. */
  readonly count: () => number;
  /** Resolves when no request is in flight. */
  readonly settled: () => Promise<void>;
  readonly close: () => void;
};

/** A proxy in front of the service that injects the fault in a request header. */
export const openNetwork = async (service: Service): Promise<Network> => {
  const running = new Set<Promise<unknown>>();
  let count = 0;
  const track = (work: Promise<unknown>): void => {
    running.add(work);
    work.then(() => running.delete(work));
  };
  const { url, close } = await breakingProxy(service.url, {
    there: (passing) => {
      count += 1;
      const [fate, delayMs] = (passing.headers[fateHeader] ?? 'arrives').split('/') as [Fate, string?];
      if (!service.isReady() || fate === 'request lost') return 'hang up';
      if (fate === 'killed') track(sleep(Number(delayMs)).then(service.kill));
      if (fate !== 'hasty') return undefined;
      track(pass(service.url, passing).catch(() => null));
      return 'hang up';
    },
    back: (_, { headers }) => (headers[fateHeader] === 'reply lost' ? 'hang up' : undefined),
  });
  return { url, close, count: () => count, settled: async () => void (await Promise.all(running)) };
};

const fateOf = (draw: Draw, losses: number): string => {
  if (!draw.chance(losses)) return 'arrives';
  const fate = draw.weighted<Fate>({ arrives: 0, 'request lost': 4, 'reply lost': 5, hasty: 4, killed: 1 });
  return fate === 'killed' ? `${fate}/${draw.below(60)}` : fate;
};

export type Sending = {
  readonly key: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A request with retries until it gets a response. The first attempts can be lost. */
const attemptsMax = 200;

/** `isSure`: no earlier attempt was lost, so a refusal means that the request never had an effect. */
export type Answered<Body> = Answer<Body> & { readonly isSure: boolean };

export type Client = {
  /** Sends a repeatable request until it gets a response. */
  readonly send: <Body>(sending: Sending) => Promise<Answered<Body>>;
  /** Sends a request once. Returns `null` if the reply is lost, so the request may or may not have been applied. */
  readonly sendOnce: <Body>(sending: Sending) => Promise<Answer<Body> | null>;
};

/** Creates a client whose requests and replies are lost with a probability in percent. */
export const newClient = (network: Network, service: Service, draw: Draw, losses: number): Client => {
  const attempt = async <Body>({ key, method, path, body, headers }: Sending, fate: string) => {
    await service.ready();
    try {
      const answer = await send(network.url, method, path, {
        ...(body !== undefined && { body }),
        headers: { 'X-API-Key': key, [fateHeader]: fate, ...headers },
      });
      must(answer.status !== 500, `${method} ${path} fails.`, body, answer.body);
      return answer.status > 500 || answer.status === 429 ? null : (answer as Answer<Body>);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return null;
      throw error;
    }
  };
  return {
    sendOnce: (sending) => attempt(sending, fateOf(draw, losses)),
    send: async (sending) => {
      // Drawn in advance, so the number of attempts does not change the series.
      const fates = [fateOf(draw, losses), fateOf(draw, losses)];
      for (let count = 0; count < attemptsMax; count += 1) {
        const answer = await attempt(sending, fates[count] ?? 'arrives');
        if (answer) return { ...(answer as Answer<never>), isSure: count === 0 };
        await sleep(20);
      }
      throw new Error(`${sending.method} ${sending.path} is never answered.`);
    },
  };
};

/** A world: a service with a separate database, and two accounts. */
export type World = {
  readonly service: Service;
  readonly network: Network;
  readonly books: readonly [Book, Book];
  readonly draw: Draw;
  /** The first month. */
  readonly month: number;
};
