/** Watches all log output of the service, and detects personal data and secrets in it. */
import { inspect } from 'node:util';
import { vi } from 'vitest';
import { requestLines } from '../../shared/observability/tally.ts';
import type { MetricLine } from './embedded-metric-format.ts';

type Write = { readonly written: readonly unknown[]; readonly from: string };

const writes: Write[] = [];
const secrets = new Set<string>();

const root = new URL('../..', import.meta.url).pathname;
// If a library's stack does not include our code, assume that the service called it.
const unknownWriter = 'a library';
// Operator commands print to a terminal, and show a new key once.
const isService = (path: string) =>
  path === unknownWriter || /^(shared(?!\/cli\/)|functions|infra\/local)\//.test(path);

// A library can have more than ten frames, the default limit, between our code and the console.
const whereNow = (): string => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
};

/** Returns the first of our files in the stack, which identifies the writer. */
const writer = (): string => {
  const lines = whereNow().split('\n').slice(1);
  const paths = lines.flatMap((line) => /(?:file:\/\/)?(\/[^():]+):\d+:\d+/.exec(line)?.[1] ?? []);
  const ours = paths.find((path) => path.startsWith(root) && !/node_modules|log-watch\.ts/.test(path));
  return ours?.slice(root.length) ?? unknownWriter;
};

const note = (written: readonly unknown[]): void => {
  const from = writer();
  if (isService(from)) writes.push({ written, from });
};

/** Wraps a function to record its arguments before it runs. */
const noting = <Write extends (...written: never[]) => unknown>(write: Write): Write =>
  function (this: unknown, ...written: never[]) {
    note(written);
    return write.apply(this, written);
  } as unknown as Write;

const levels = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
for (const level of levels) console[level] = noting(console[level]);
for (const stream of [process.stdout, process.stderr])
  stream.write = noting(stream.write.bind(stream)) as typeof stream.write;

// Each request writes its log line, as in a deployment. The watch reads these lines and does not pass them on.
requestLines.areOn = true;
const { write } = process.stdout;
process.stdout.write = ((text: unknown, ...others: [BufferEncoding?, ((error?: Error | null) => void)?]): boolean => {
  if (typeof text !== 'string' || !text.startsWith('{"_aws":'))
    return write.call(process.stdout, text as string, ...others);
  // The writer is known, and capturing a stack trace for each of thousands of lines is slow.
  writes.push({ written: [text], from: 'shared/observability/metric.ts' });
  return true;
}) as typeof write;

// If a test replaces the console, both the test and this watch receive the output.
const spyOn = vi.spyOn.bind(vi) as unknown as (object: object, ...names: string[]) => ReturnType<typeof vi.fn>;
vi.spyOn = ((object: object, ...names: string[]) => {
  const spy = spyOn(object, ...names);
  if (object !== console) return spy;
  const { mockImplementation } = spy;
  const replace = (implementation: (...written: unknown[]) => unknown) =>
    mockImplementation.call(spy, noting(implementation));
  return Object.assign(spy, { mockImplementation: replace, mockReturnValue: (value: unknown) => replace(() => value) });
}) as unknown as typeof vi.spyOn;

/** Adds strings that were sent to the service. They must not occur in earlier or later log lines. */
export const keepSecret = (texts: Iterable<string>): void => {
  for (const text of texts) secrets.add(text);
};

/** Adds the output of a service in a separate process. */
export const noteWritten = (text: string, from: string): void => void writes.push({ written: [text], from });

/** Returns the leaks of this test file, with their source. */
export const leaks = (): string[] => [
  ...new Set(writes.flatMap(({ written, from }) => leaksIn(written, secrets).map((leak) => `${from} logs ${leak}`))),
];

/** Returns the JSON lines written so far, such as metrics. */
export const metricLines = (): MetricLine[] =>
  writes.flatMap(({ written: [text] }) =>
    typeof text === 'string' && text.startsWith('{"_aws":') ? [JSON.parse(text)] : [],
  );

export const forgetWrites = (): void => void writes.splice(0);

/** Starts the watch for a test file. */
export const startWatch = (): void => {
  forgetWrites();
  secrets.clear();
};

/** Patterns that must never occur in a log line, by name. */
const shapes: Readonly<Record<string, RegExp>> = {
  'an API key': /levy_[0-9A-Za-z]{20,}/,
  'a token': /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  'a credential header': /\b(bearer|basic) +[\w.~+/=-]{8,}|x-api-key['"]?\s*[:=]/i,
  'a key digest': /\bKEY#[0-9a-f]{16,}/,
  'an email address': /[\w.+-]+@[\w-]+\.[a-z]{2,}/i,
  // Part or all of a body, an item or an account.
  'a field of a body or an item':
    /\b(line_items|line1|line2|postal_code|unit_price|product_tax_code|customer_id|certificate_id|metadata|reference_id|confirmation_number|cursor_secret|levy_account)\b/,
};

const getText = (written: unknown): string => {
  if (typeof written === 'string') return written;
  if (written instanceof Uint8Array) return Buffer.from(written).toString('utf8');
  // Lambda logs a value as JSON; `npm start` uses `inspect`, which includes an error's causes and hidden fields.
  return inspect(written, { depth: 12, maxArrayLength: null, maxStringLength: null, breakLength: 1_000_000 });
};

// Short strings often occur in longer strings: a town in an id, a reference in a file name.
const longFrom = 8;
const wordCharacter = /[\p{L}\p{N}_-]/u;
// A number without quotes is a figure, such as a duration or the sum of a tax: personal data are strings.
const figures = /: ?\d+(\.\d+)?(?= ?[,}])/g;
const frames = / {4}at [^\n'"]*:\d+:\d+\)?/g;

const hasWord = (line: string, word: string): boolean => {
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    const around = [line[at - 1], line[at + word.length]];
    if (!around.some((character) => character !== undefined && wordCharacter.test(character))) return true;
  }
  return false;
};

// Words and ids of the service that a request can contain.
const own = /^(draft_expired|(acct|txn|fil|key)_[0-9A-Z]{26})$/;

/**
 * Returns the leaks of a log line, by name. `secrets` are strings that were sent and must not occur in it. A secret of
 * less than eight characters must match as a whole word outside of stack frames.
 */
export const leaksIn = (written: readonly unknown[], secrets: Iterable<string> = []): string[] => {
  const line = written.map(getText).join(' ');
  const said = line.replaceAll(frames, '').replaceAll(figures, ':');
  const isSaid = (secret: string) =>
    !own.test(secret) && (secret.length < longFrom ? hasWord(said, secret) : line.includes(secret));
  return [
    ...Object.entries(shapes).flatMap(([name, shape]) => (shape.test(line) ? [name] : [])),
    ...[...secrets].flatMap((secret) => (isSaid(secret) ? [`what was sent: ${secret}`] : [])),
  ];
};

// The minimum length of a field value that counts as a secret. Shorter values, such as a state code, occur in any log.
const lengthMin: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['line1', 'line2', 'city', 'postal_code'].map((field) => [field, 4])),
  ...Object.fromEntries(['reference_id', 'certificate_id', 'confirmation_number'].map((field) => [field, 4])),
  ...Object.fromEntries(
    ['name', 'email', 'description', 'void_reason', 'unit_price'].map((field) => [field, longFrom]),
  ),
  metadata: longFrom,
};
const getLengthMin = (field: string): number => (Object.hasOwn(lengthMin, field) ? (lengthMin[field] ?? 0) : Infinity);

/**
 * Returns the strings of a body that may be stored but must never be logged: names, places, references and all
 * metadata.
 */
export const secretsIn = (value: unknown, from = Infinity): string[] => {
  if (typeof value === 'string') return value.length >= from ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => secretsIn(inner, Math.min(from, getLengthMin(field))));
};
