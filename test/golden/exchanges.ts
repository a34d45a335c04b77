/** Requests and their answers as text, in which everything that varies between runs is a placeholder. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Sent = {
  readonly body?: unknown;
  /** The raw text of the body, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key. It is not recorded. */
  readonly key?: string;
  /** Record the status and the headers only, without those that hash the body. */
  readonly isHeadOnly?: boolean;
  /** The answer lists entries in the order of their random ids: record them sorted. */
  readonly isUnordered?: boolean;
};
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any; readonly text: string };

const dropped = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
const hashing = new Set(['etag', 'content-security-policy']);

/** Replaces values that vary by placeholders, numbered in the order of their first appearance. */
const newMask = () => {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  const named = (kind: string, value: string): string => {
    const count = (counts.get(kind) ?? 0) + (known.has(value) ? 0 : 1);
    counts.set(kind, count);
    if (!known.has(value)) known.set(value, `<${kind} ${count}>`);
    return known.get(value) as string;
  };
  return (text: string): string =>
    text
      .replaceAll(/(txn|fil|acct|key|evt|cus)_[0-9A-HJKMNP-TV-Z]{26}\b/g, (id, kind: string) => named(kind, id))
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
      .replaceAll(/(\d{4}-\d\d-\d\d)T16:2\d:\d\d\.\d{3}Z/g, '$1T<clock>')
      .replaceAll(
        /((?:next_cursor|starting_after)"?(?:":"|=|":\s*"))([\w%.~+/=-]{12,})/g,
        (_, name: string, value) => name + named('cursor', decodeURIComponent(value)),
      )
      .replaceAll(/"(?=[\w-]*[A-Z])[\w-]{43}"/g, (hash) => `"${named('hash', hash)}"`)
      .replaceAll(/"salt":"[\w-]{22}"/g, '"salt":"<salt>"')
      .replaceAll(/levy_[0-9A-Za-z]{39}/g, '<secret>')
      .replaceAll(/(expired at )\S+Z|(Retry in )\d+ s/g, '$1$2<n>');
};

const block = (mark: string, text: string): string[] =>
  text === '' ? [] : text.split('\n').map((line) => mark + line);

const headerLines = (headers: Iterable<readonly [string, string]>, isHeadOnly: boolean): string[] =>
  [...headers]
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .map(([name, value]) => [name, name === 'x-ratelimit-remaining' || name === 'retry-after' ? '<n>' : value] as const)
    .map(([name, value]) => `${name}: ${isHeadOnly && hashing.has(name) ? '<hash>' : value}`)
    .sort();

const parsed = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const sortedEntries = (masked: string): string => {
  const lines = masked.split('\n');
  const json = lines.findIndex((line) => line.startsWith('| {'));
  if (json === -1)
    return [
      ...lines.filter((line) => !line.startsWith('| ')),
      ...lines.filter((line) => line.startsWith('| ')).sort(),
    ].join('\n');
  const body = JSON.parse((lines[json] as string).slice(2));
  (body.data ?? body.entries.data).sort((left: unknown, right: unknown) =>
    JSON.stringify(left) < JSON.stringify(right) ? -1 : 1,
  );
  return lines.with(json, `| ${JSON.stringify(body)}`).join('\n');
};

export type Recorder = ReturnType<typeof newRecorder>;

/** Sends requests for one scenario and records them. `expected` has the recorded exchanges of the scenario, if any. */
export const newRecorder = (url: string, scenario: string, expected: readonly string[]) => {
  const recorded: string[] = [];
  const mask = newMask();
  const operations = new Set<string>();
  const codes = new Set<string>();
  const send = async (method: string, path: string, { body, raw, key, headers = {} }: Sent): Promise<Answer> => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const type = payload === undefined ? {} : { 'Content-Type': 'application/json' };
    const sentHeaders = { 'Accept-Encoding': 'identity', ...type, ...(key && { 'X-API-Key': key }), ...headers };
    const response = await fetch(url + path, {
      ...{ method, headers: sentHeaders, redirect: 'manual' },
      ...(payload !== undefined && { body: payload }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text), text };
  };
  const written = (method: string, path: string, sent: Sent, answer: Answer): string => {
    const payload = sent.raw ?? (sent.body === undefined ? '' : JSON.stringify(sent.body));
    const lines = [
      ...block('> ', `${method} ${path}`),
      ...block('> ', headerLines(Object.entries(sent.headers ?? {}), false).join('\n')),
      ...block('> ', payload.length > 100_000 ? `<${payload.length} characters>` : payload),
      `< ${answer.status}`,
      ...block('< ', headerLines(answer.headers, sent.isHeadOnly ?? false).join('\n')),
      ...block('| ', sent.isHeadOnly ? '' : answer.text),
    ];
    const masked = mask(lines.join('\n'));
    return `=== ${scenario} ${recorded.length + 1}\n${sent.isUnordered ? sortedEntries(masked) : masked}\n`;
  };
  const note = (method: string, path: string, { body, status }: Answer): void => {
    if (status < 400) operations.add(`${method} ${path.replace(/[?].*/, '')}`);
    for (const error of body?.errors ?? []) codes.add(error.code);
  };
  const call = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const answer = await send(method, path, sent);
    note(method, path, answer);
    recorded.push(written(method, path, sent, answer));
    return answer;
  };
  /** Repeat a request until its answer is complete, and record the last answer. */
  const poll = async (path: string, isDone: (answer: Answer) => boolean, sent: Sent = {}): Promise<Answer> => {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const answer = await send('GET', path, sent);
      if (!isDone(answer) && performance.now() < deadline) {
        await sleep(25);
        continue;
      }
      note('GET', path, answer);
      recorded.push(written('GET', path, sent, answer));
      return answer;
    }
  };
  /** Repeat a request until it has the recorded answer, or has had the same answer for some seconds. */
  const settle = async (path: string, sent: Sent = {}, stableMs = 4_000): Promise<Answer> => {
    const wanted = /\n\| [\s\S]*/.exec(expected[recorded.length] ?? '')?.[0];
    let [since, last] = [performance.now(), ''];
    return poll(
      path,
      ({ text }) => {
        if (text !== last) [since, last] = [performance.now(), text];
        return `\n${block('| ', text).join('\n')}\n` === wanted || performance.now() - since > stableMs;
      },
      sent,
    );
  };
  return { call, poll, settle, recorded, operations, codes };
};
