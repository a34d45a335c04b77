/** What long work says of itself, on standard error: a bar on a terminal, else a line now and then. */
import { progress as progressBar } from '@clack/prompts';

export type Progress = {
  /** So much is done by now, of the total that the work began with. */
  readonly reach: (done: number, message: string) => void;
  readonly finish: (message: string) => void;
  readonly fail: (message: string) => void;
};

/** Every so many per cent of the total there is a line where no bar can be drawn. */
const lineEvery = 10;

const lines = (title: string, total: number): Progress => {
  let next = lineEvery;
  const say = (text: string) => process.stderr.write(`${text}\n`);
  say(title);
  return {
    reach: (done, message) => {
      const percent = Math.floor((100 * done) / Math.max(1, total));
      if (percent < next) return;
      next = percent - (percent % lineEvery) + lineEvery;
      if (percent < 100) say(`${title}: ${percent}% (${message})`);
    },
    finish: say,
    fail: say,
  };
};

const bar = (title: string, total: number): Progress => {
  // The bar ends the process with code 0 at Ctrl-C; work that was cut off has not succeeded.
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

/** Begin a piece of long work whose size is known, in whatever unit. */
export const startProgress = (title: string, total: number): Progress =>
  process.stderr.isTTY ? bar(title, total) : lines(title, total);
