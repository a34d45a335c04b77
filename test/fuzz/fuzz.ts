/**
 * `npm run fuzz`: passes mutated and hostile inputs of at most 1 MB to all code that reads external files, pages and
 * texts, and measures the CPU time and peak memory of each input. Requires Linux.
 *
 *   --target NAME   only this one; repeat it for several (default: all)
 *   --minutes N     how long each target runs (1)
 *   --inputs N      how many inputs instead of a time
 *   --seed N        another series of inputs (1)
 *   --input N       only this input of the seed
 *   --seconds N     processor time that an input may take (2)
 */
import { fork } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processorMs } from '../support/child-process.ts';
import { readNumber } from '../support/seeded.ts';
import type { Message } from './child.ts';
import { getInput, targets } from './targets.ts';

/** The multiple of its time limit after which an input is stopped. */
const endAfter = 2.5;
const faultsMax = 10;

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: Object.keys(targets) },
    seconds: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '1' },
    inputs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    input: { type: 'string' },
  },
});

const minutes = readNumber('minutes', values.minutes, { least: 0.001, isWhole: false });
const seed = readNumber('seed', values.seed);
const inputs = values.inputs === undefined ? null : readNumber('inputs', values.inputs);
const onlyInput = values.input === undefined ? null : readNumber('input', values.input, { least: 0 });

/** The limits of one input: CPU time per unpacked MB, and memory in excess of a process that read a valid input. */
const limits = { ms: readNumber('seconds', values.seconds) * 1000, bytes: 256 * 1024 * 1024 };

type Ran = { readonly input: number; readonly ms: number; readonly bytes: number; readonly fault: string | null };

const getFault = ({ ms, megabytes, bytes, bug }: Message & { readonly kind: 'end' }): string | null => {
  if (bug !== null) return bug;
  if (ms > limits.ms * megabytes) return `${Math.round(ms)} ms`;
  return bytes > limits.bytes ? `${Math.round(bytes / 2 ** 20)} MiB` : null;
};

/** Runs inputs in a process until one has a fault, there are no more inputs, or the time is up. */
const runInputs = (
  name: string,
  from: number,
  count: number,
  endsAt: number,
  onRan: (ran: Ran) => void,
): Promise<void> =>
  new Promise((resolve) => {
    const child = fork(join(import.meta.dirname, 'child.ts'), [name, String(seed), String(from), String(count)], {
      // The arguments of `npm run content` for the importers.
      execArgv: ['--max-old-space-size=256', '--expose-gc'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/levy/compiled') },
    });
    let [running, startMs, endMs, errors] = [null as number | null, 0, 0, ''];
    child.stderr?.on('data', (chunk: Buffer) => {
      errors = (errors + chunk).slice(-2000);
    });
    child.on('message', (message: Message) => {
      if (message.kind === 'begin') {
        [running, startMs] = [message.input, processorMs(child.pid)];
        endMs = endAfter * limits.ms * message.megabytes;
      } else {
        running = null;
        const fault = getFault(message);
        onRan({ ...message, fault });
        if (fault !== null || Date.now() > endsAt) child.kill('SIGKILL');
      }
    });
    const timer = setInterval(() => {
      if (running !== null && processorMs(child.pid) - startMs > endMs) child.kill('SIGKILL');
    }, 200);
    child.on('close', () => {
      const ms = running === null ? 0 : endMs;
      clearInterval(timer);
      if (running !== null) onRan({ input: running, ms, bytes: 0, fault: errors.trim() || `ended after ${ms} ms` });
      else if (errors.includes('Error')) throw new Error(errors);
      resolve();
    });
  });

/** Repeats an input. Returns its fault, or `null`, because a fault that does not repeat is attributed to the machine. */
const confirmed = async (name: string, { input }: Ran): Promise<string | null> => {
  let fault: string | null = null;
  await runInputs(name, input, 1, Number.POSITIVE_INFINITY, (ran) => {
    fault = ran.fault;
  });
  return fault;
};

const write = (name: string, input: number): string => {
  const folder = mkdtempSync(join(tmpdir(), `levy-fuzz-${name}-`));
  return getInput(name, seed, input)
    .map((file) => {
      const path = join(folder, file.name);
      writeFileSync(path, file.content);
      return path;
    })
    .join(' ');
};

const fuzz = async (name: string): Promise<number> => {
  const begun = Date.now();
  const isTimed = inputs === null && onlyInput === null;
  const endsAt = isTimed ? begun + minutes * 60_000 : Number.POSITIVE_INFINITY;
  const first = onlyInput ?? 0;
  const end = isTimed ? Number.MAX_SAFE_INTEGER : first + (onlyInput === null ? (inputs ?? 0) : 1);
  let [next, worstMs, worstBytes, faults] = [first, { ms: 0, input: 0 }, { bytes: 0, input: 0 }, 0];
  while (next < end && Date.now() < endsAt && faults < faultsMax) {
    let failed: Ran | null = null;
    await runInputs(name, next, Math.min(2000, end - next), endsAt, (ran) => {
      next = ran.input + 1;
      if (ran.fault !== null) failed = ran;
      else {
        if (ran.ms > worstMs.ms) worstMs = ran;
        if (ran.bytes > worstBytes.bytes) worstBytes = ran;
      }
    });
    const found: Ran | null = failed;
    const fault = found && (await confirmed(name, found));
    if (!found || fault === null) continue;
    faults += 1;
    console.log(
      `${name}, seed ${seed}, input ${(found as Ran).input}: ${fault}\n  ${write(name, (found as Ran).input)}`,
    );
  }
  const tookMinutes = ((Date.now() - begun) / 60_000).toFixed(1);
  console.log(
    `${name}: ${next - first} inputs in ${tookMinutes} min; worst ${Math.round(worstMs.ms)} ms (input ${worstMs.input}), ${Math.round(worstBytes.bytes / 2 ** 20)} MiB (input ${worstBytes.input}); ${faults} faults`,
  );
  return faults;
};

const unknown = values.target.find((name) => !Object.hasOwn(targets, name));
if (unknown !== undefined) {
  console.error(`There is no target ${unknown}. Pass one of ${Object.keys(targets).join(', ')}.`);
  process.exit(2);
}
for (const name of values.target) if ((await fuzz(name)) > 0) process.exitCode = 1;
