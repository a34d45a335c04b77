import { randomUUID } from 'node:crypto';

/** A check failed, or no response came. The message never has a key. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or `null`. */
  readonly body: unknown;
  readonly text: string;
};

export type Request = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the session's key; `null` sends none. */
  readonly key?: string | null;
};

/** One run against a service. */
export type Session = {
  /** Prefix of the references of this run. */
  readonly prefix: string;
  readonly send: (request: Request) => Promise<Answer>;
  /** Run a step and print it with its latency. */
  readonly step: <Value>(title: string, run: () => Promise<Value>) => Promise<Value>;
  readonly say: (line: string) => void;
  /** Make the next step fail. */
  readonly stop: () => void;
  readonly isStopped: () => boolean;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The cause of an error of `fetch`, whose message is only "fetch failed". */
const causeOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
  if (name === 'TimeoutError') return 'timeout';
  return cause?.code ?? cause?.message ?? message;
};

type Settings = {
  readonly url: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
};

/** Start a run. `timeoutMs` is the limit for one request. */
export const newSession = ({ url, key, timeoutMs, print }: Settings): Session => {
  const base = url.replace(/\/+$/, '');
  let waitedMs = 0;
  let stopped = false;

  const send = async (request: Request): Promise<Answer> => {
    const { method, path, body, headers = {}, key: asked = key } = request;
    const start = performance.now();
    try {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: {
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(asked !== null && { 'X-API-Key': asked }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect would send the key to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parsed(text), text };
    } catch (error) {
      throw new Unexpected(`${method} ${path}: no response (${causeOf(error)})`);
    } finally {
      waitedMs += performance.now() - start;
    }
  };

  const step: Session['step'] = async (title, run) => {
    if (stopped) throw new Unexpected('The run was stopped.');
    waitedMs = 0;
    const line = (word: string) => print(`${word.padEnd(6)} ${`${Math.round(waitedMs)} ms`.padStart(8)}  ${title}`);
    try {
      const value = await run();
      line('ok');
      return value;
    } catch (error) {
      line('FAILED');
      throw error;
    }
  };

  return {
    prefix: `smoke_${randomUUID()}`,
    send,
    step,
    say: print,
    stop: () => {
      stopped = true;
    },
    isStopped: () => stopped,
  };
};
