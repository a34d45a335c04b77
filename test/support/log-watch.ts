/** A vitest setup file: reads along with whatever the service's code logs, and fails a test file whose run leaked. */
import { afterAll, vi } from 'vitest';
import { leaksIn } from './log-leaks.ts';

type Write = { readonly written: readonly unknown[]; readonly from: string };

const writes: Write[] = [];
const secrets = new Set<string>();

const root = new URL('../..', import.meta.url).pathname;
// The operators' commands print to a terminal, where a new key is shown once.
const isService = (path: string) => /^(shared(?!\/cli\/)|functions|infra\/local)\//.test(path);

/** The first file of ours on the way here, from the root on: who writes. */
const writer = (): string => {
  const lines = (new Error('where').stack ?? '').split('\n').slice(1);
  const paths = lines.flatMap((line) => /(?:file:\/\/)?(\/[^():]+):\d+:\d+/.exec(line)?.[1] ?? []);
  const ours = paths.find((path) => path.startsWith(root) && !/node_modules|log-watch\.ts/.test(path));
  return ours?.slice(root.length) ?? '';
};

const note = (written: readonly unknown[]): void => {
  const from = writer();
  if (isService(from)) writes.push({ written, from });
};

/** Have a function note what it is called with before it does what it does. */
const noting = <Write extends (...written: never[]) => unknown>(write: Write): Write =>
  function (this: unknown, ...written: never[]) {
    note(written);
    return write.apply(this, written);
  } as unknown as Write;

const levels = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;
for (const level of levels) console[level] = noting(console[level]);
for (const stream of [process.stdout, process.stderr]) stream.write = noting(stream.write.bind(stream)) as never;

// A test that takes the console's place hears what was written, and so does this.
const spyOn = vi.spyOn.bind(vi);
vi.spyOn = ((object: object, ...names: [never]) => {
  const spy = spyOn(object as never, ...names) as unknown as ReturnType<typeof vi.fn>;
  if (object !== console) return spy;
  const { mockImplementation } = spy;
  const replace = (implementation: (...written: unknown[]) => unknown) =>
    mockImplementation.call(spy, noting(implementation as never));
  return Object.assign(spy, { mockImplementation: replace, mockReturnValue: (value: unknown) => replace(() => value) });
}) as unknown as typeof vi.spyOn;

/** Add texts that were sent to the service, and must not be logged from now on or before. */
export const keepSecret = (texts: Iterable<string>): void => {
  for (const text of texts) secrets.add(text);
};

/** What has leaked in this test file, and who wrote it. */
export const leaks = (): string[] => [
  ...new Set(writes.flatMap(({ written, from }) => leaksIn(written, secrets).map((leak) => `${from} logs ${leak}`))),
];

/** For the test of this very file, which leaks on purpose. */
export const forgetWrites = (): void => void writes.splice(0);

afterAll(() => {
  const found = leaks();
  if (found.length > 0) throw new Error(`The service's log is for nobody's data.\n${found.join('\n')}`);
});
