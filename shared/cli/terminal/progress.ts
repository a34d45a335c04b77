import { confirm, progress as progressBar } from '@clack/prompts';
import type { Progress, Reporter } from '../../importers/releases/report.ts';
import { print, printable } from './output.ts';
import { CommandError } from './run-command.ts';

/** Shows progress on standard error: a bar on a terminal, otherwise a line for every 10 %. */

const lineEvery = 10;

const lines = (title: string, total: number): Progress => {
  let next = lineEvery;
  const write = (text: string) => process.stderr.write(`${printable(text)}\n`);
  write(title);
  return {
    reach: (done, message) => {
      const percent = Math.floor((100 * done) / Math.max(1, total));
      if (percent < next) return;
      next = percent - (percent % lineEvery) + lineEvery;
      if (percent < 100) write(`${title}: ${percent}% (${message})`);
    },
    finish: write,
    fail: write,
  };
};

const bar = (title: string, total: number): Progress => {
  // On Ctrl-C, the progress bar exits with code 0, but interrupted work must not look like success.
  const markInterrupted = () => {
    process.exitCode = 130;
  };
  process.once('exit', markInterrupted);
  const drawn = progressBar({ max: 100, output: process.stderr });
  let shown = 0;
  drawn.start(title);
  const end = (how: 'stop' | 'error') => (message: string) => {
    process.off('exit', markInterrupted);
    drawn[how](message);
  };
  return {
    reach: (done, message) => {
      const percent = Math.min(100, Math.floor((100 * done) / Math.max(1, total)));
      drawn.advance(Math.max(0, percent - shown), `${title}: ${message}`);
      shown = percent;
    },
    finish: end('stop'),
    fail: end('error'),
  };
};

/** Shows the progress of work with a known size, in any unit. On an error, it prints `failed`. */
export const withProgress: Reporter['withProgress'] = async (title, total, failed, run) => {
  const progress = (process.stderr.isTTY ? bar : lines)(title, total);
  try {
    return await run(progress);
  } catch (error) {
    progress.fail(failed);
    throw error;
  }
};

/** Reports the progress of imports and updates on the terminal. */
export const terminal: Reporter = { print, withProgress };

export type Confirmation = { readonly yes?: boolean | undefined; readonly json?: boolean | undefined };

/** Asks for confirmation on a terminal. Without a terminal, or with --json, requires --yes. */
export const requireConfirmation = async (message: string, { yes, json }: Confirmation): Promise<void> => {
  if (yes) return;
  if (json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandError('Nothing was changed. Without a terminal, and with --json, pass --yes to confirm.');
  if ((await confirm({ message, initialValue: false, output: process.stderr })) !== true)
    throw new CommandError('Nothing was changed.');
};
