/** Watches everything that the service's code logs, and finds personal data and secrets in it. */
import { vi } from 'vitest';
import { requestLines } from '../../shared/observability/tally.ts';
import type { MetricLine } from './embedded-metric-format.ts';
import { leaksIn } from './log-leaks.ts';

type Write = { readonly written: readonly unknown[]; readonly from: string };

const writes: Write[] = [];
const secrets = new Set<string>();

const root = new URL('../..', import.meta.url).pathname;
// A library without our code in its stack: assume that the service called it.
const unknownWriter = 'a library';
// The operators' commands print to a terminal, where a new key is shown once.
const isService = (path: string) =>
  path === unknownWriter || /^(shared(?!\/cli\/)|functions|infra\/local)\//.test(path);

// A library can have many calls of its own between our code and the console; ten, the usual limit, are few.
const whereNow = (): string => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
};

/** The first file of ours on the way here, from the root on: who writes. */
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

/** Wrap a function so that its arguments are recorded before it runs. */
const noting = <Write extends (...written: never[]) => unknown>(write: Write): Write =>
  function (this: unknown, ...written: never[]) {
    note(written);
    return write.apply(this, written);
  } as unknown as Write;

const levels = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
for (const level of levels) console[level] = noting(console[level]);
for (const stream of [process.stdout, process.stderr])
  stream.write = noting(stream.write.bind(stream)) as typeof stream.write;

// Every request has its line, as when it is deployed, so that each is read here; they go no further.
requestLines.areOn = true;
const { write } = process.stdout;
process.stdout.write = ((text: unknown, ...others: [BufferEncoding?, ((error?: Error | null) => void)?]): boolean => {
  if (typeof text !== 'string' || !text.startsWith('{"_aws":'))
    return write.call(process.stdout, text as string, ...others);
  // The writer is known, and a stack trace for each of thousands of lines is slow.
  writes.push({ written: [text], from: 'shared/observability/metric.ts' });
  return true;
}) as typeof write;

// A test that replaces the console receives the output, and so does this.
const spyOn = vi.spyOn.bind(vi) as unknown as (object: object, ...names: string[]) => ReturnType<typeof vi.fn>;
vi.spyOn = ((object: object, ...names: string[]) => {
  const spy = spyOn(object, ...names);
  if (object !== console) return spy;
  const { mockImplementation } = spy;
  const replace = (implementation: (...written: unknown[]) => unknown) =>
    mockImplementation.call(spy, noting(implementation));
  return Object.assign(spy, { mockImplementation: replace, mockReturnValue: (value: unknown) => replace(() => value) });
}) as unknown as typeof vi.spyOn;

/** Add texts that were sent to the service, and must not be logged from now on or before. */
export const keepSecret = (texts: Iterable<string>): void => {
  for (const text of texts) secrets.add(text);
};

/** Read also what a service in a process of its own has written. */
export const noteWritten = (text: string, from: string): void => void writes.push({ written: [text], from });

/** The leaks of this test file, and their source. */
export const leaks = (): string[] => [
  ...new Set(writes.flatMap(({ written, from }) => leaksIn(written, secrets).map((leak) => `${from} logs ${leak}`))),
];

/** The lines of JSON written so far, such as metrics. */
export const metricLines = (): MetricLine[] =>
  writes.flatMap(({ written: [text] }) =>
    typeof text === 'string' && text.startsWith('{"_aws":') ? [JSON.parse(text)] : [],
  );

export const forgetWrites = (): void => void writes.splice(0);

/** Begin the watch over a test file. */
export const startWatch = (): void => {
  forgetWrites();
  secrets.clear();
};
