import { randomUUID } from 'node:crypto';
import { safetyHeaders } from '../../api/reply.ts';

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

/** Fails the run with this message unless the condition is true. */
export const expected = (words: string, holds: boolean): void => {
  if (!holds) throw new Unexpected(words);
};

export const equal = (what: string, actual: unknown, expectedValue: unknown): void =>
  expected(
    `${what} is ${JSON.stringify(actual)}, should be ${JSON.stringify(expectedValue)}`,
    actual === expectedValue,
  );

const requiredHeaders = ['X-Request-Id', 'Service-Version', ...Object.keys(safetyHeaders)];
const forbiddenHeaders = ['Access-Control-Allow-Origin', 'X-Powered-By'];

/** The code and detail of the first error, and the request id, if the response has them. */
const reasonOf = ({ body, headers }: Answer): string => {
  const [error] = Array.isArray(body?.['errors']) ? body['errors'] : [];
  return `${error ? ` (${error.code}: ${error.detail})` : ''}, request ${headers.get('X-Request-Id')}`;
};

/** Check the status, the headers and the media type of a response. */
export const checkResponse = (answer: Answer, status: number, type: string): void => {
  const { headers } = answer;
  expected(`status is ${answer.status}, should be ${status}${reasonOf(answer)}`, answer.status === status);
  for (const name of requiredHeaders) expected(`${name} is missing`, headers.has(name));
  for (const name of forbiddenHeaders) expected(`${name} is there, and should not be`, !headers.has(name));
  const actual = headers.get('Content-Type') ?? '';
  expected(`Content-Type is ${actual}, should be ${type}`, actual.startsWith(type));
};

/** Check a JSON response that no cache may store, and return its body. */
export const answered = (answer: Answer, status: number): Body => {
  checkResponse(answer, status, 'application/json');
  equal('Cache-Control', answer.headers.get('Cache-Control'), 'no-store');
  if (answer.body === null) throw new Unexpected('the body is not JSON');
  return answer.body;
};
