import { randomUUID } from 'node:crypto';

/** A check failed, or no response came. The message never has a key. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export type Body = Readonly<Record<string, unknown>>;
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON object, or `null`. */
  readonly body: Body | null;
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

const parsed = (text: string): Body | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Body | null) : null;
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
  /** Limit for one request. */
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
};

/** Start a run against a service. `prefix` begins the references of its transactions; `stop` makes the next step fail. */
export const newSession = ({ url, key: ownKey, timeoutMs, print }: Settings) => {
  let waitedMs = 0;
  let stopped = false;

  const send = async ({ method, path, body, headers, key = ownKey }: Request): Promise<Answer> => {
    const start = performance.now();
    try {
      const answer = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...(key !== null && { 'X-API-Key': key }), ...headers },
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

  /** Run a step and print it with its latency. */
  const step = async <Value>(title: string, run: () => Promise<Value>): Promise<Value> => {
    if (stopped) throw new Unexpected('The run was stopped.');
    waitedMs = 0;
    let word = 'FAILED';
    try {
      const value = await run();
      word = 'ok';
      return value;
    } finally {
      print(`${word.padEnd(6)} ${`${Math.round(waitedMs)} ms`.padStart(8)}  ${title}`);
    }
  };

  const stop = () => {
    stopped = true;
  };
  return { prefix: `smoke_${randomUUID()}`, send, step, print, stop };
};

export type Session = ReturnType<typeof newSession>;
