/** Watches all log output of the service, and detects personal data and secrets in it. */
import { vi } from 'vitest';
import { requestLines } from '../../shared/observability/tally.ts';
import type { MetricLine } from './embedded-metric-format.ts';
import { leaksIn } from './log-leaks.ts';

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

/** Returns the first file of ours in the stack, which identifies the writer. */
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
