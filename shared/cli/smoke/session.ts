import { randomUUID } from 'node:crypto';

/** What was answered is not what it should be, or nothing was. Says what, never a key. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; `null` where it is something else. */
  readonly body: unknown;
  readonly text: string;
};

export type Request = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another key than the session's; `null` sends none. */
  readonly key?: string | null;
};

/** One run against a service: where it is, how to send, and what to say of each step. */
export type Session = {
  /** Begins the references of this run, so that nothing of another run is ever taken for its own. */
  readonly prefix: string;
  readonly send: (request: Request) => Promise<Answer>;
  /** Do a step of the run and print it with its latency; it fails where the check throws. */
  readonly step: <Value>(title: string, run: () => Promise<Value>) => Promise<Value>;
  readonly say: (line: string) => void;
  /** Have what comes next fail: somebody wants the run to end. */
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

/** What an error of `fetch` says: its own message is "fetch failed". */
const causeOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause?.code ?? cause?.message ?? message;
};

type Settings = {
  readonly url: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
};

/** Begin a run. `timeoutMs` is how long one request may take. */
export const newSession = ({ url, key, timeoutMs, print }: Settings): Session => {
  const base = url.replace(/\/+$/, '');
  let waitedMs = 0;
  let stopped = false;

  const send = async (request: Request): Promise<Answer> => {
    const { method, path, body, headers = {}, key: asked = key } = request;
    const begun = performance.now();
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
        // The key would go wherever a redirection points.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parsed(text), text };
    } catch (error) {
      throw new Unexpected(`${method} ${path}: no answer (${causeOf(error)})`);
    } finally {
      waitedMs += performance.now() - begun;
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
