import { pagesOf } from '../base/collections.ts';
import { closeDue } from './close-due.ts';
import type { FilingName } from './ledger.ts';
import type { Closed, ClosePorts } from './ports.ts';
import { sweepDue } from './sweep-due.ts';
import { workOn } from './work-on.ts';

/** The share of a run that unfinished filings get before due periods close. */
const resumeShare = 1 / 2;

type Resumed = {
  readonly worked: number;
  readonly finished: number;
  readonly failed: number;
  readonly isDone: boolean;
};

/**
 * Continue unfinished filings, then close the due periods of every state in which an account is registered, including
 * empty periods, then check once a day that each such state is in the due index.
 *
 * States take turns, and filings share the time, so that neither a large filing nor a long backlog delays the others. A
 * failure of one filing or state does not stop the others. The next run continues where this one stopped.
 */
export const closePeriods = async (ports: ClosePorts): Promise<Closed> => {
  const hadTurn = new Set<string>();
  const first = await resumeAll(ports, resumeShare, hadTurn);
  const due = await closeDue(ports);
  const swept = due.isThrough ? await sweepDue(ports) : { added: 0, failed: 0 };
  // The sweep found states that were missing in the index.
  const found = swept.added > 0 ? await closeDue(ports) : null;
  const turns = [due, ...(found ? [found] : [])];
  const isLeft = !first.isDone || turns.some(({ worked, finished }) => worked > finished);
  const last = isLeft ? await resumeAll(ports, 1, hadTurn) : null;
  const worked = [first, ...turns, ...(last ? [last] : [])];
  const sum = (figure: 'worked' | 'finished' | 'failed') => worked.reduce((total, part) => total + part[figure], 0);
  return {
    created: turns.reduce((total, { created }) => total + created, 0),
    worked: sum('worked'),
    finished: sum('finished'),
    complete:
      turns.every(({ isThrough, failed }) => isThrough && failed === 0) && (last ?? first).isDone && swept.failed === 0,
    failed: sum('failed') + swept.failed,
  };
};

const filingsAtATime = 100;

const unfinishedFilings = async ({ filings }: ClosePorts) => {
  const pages = pagesOf((after: FilingName | null) => filings.unfinished(after, filingsAtATime));
  return (await Array.fromAsync(pages, (page) => page.filings)).flat();
};

/**
 * Process all unfinished filings within a share of the remaining time, those without a turn in this run first. Each
 * filing gets an equal part of that time.
 */
const resumeAll = async (ports: ClosePorts, share: number, hadTurn: Set<string>): Promise<Resumed> => {
  const { remainingMs, stepMsMax } = ports;
  const result = { worked: 0, finished: 0, failed: 0, isDone: true };
  const endMs = Math.max(stepMsMax, remainingMs() * (1 - share));
  if (remainingMs() <= endMs) return { ...result, isDone: false };
  const names = await unfinishedFilings(ports);
  names.sort((a, b) => Number(hadTurn.has(a.id)) - Number(hadTurn.has(b.id)));
  for (const [at, { account, id }] of names.entries()) {
    const sliceMs = (remainingMs() - endMs) / (names.length - at);
    if (sliceMs <= 0) return { ...result, isDone: false };
    hadTurn.add(id);
    try {
      const filing = await ports.filings.find(account, id);
      if (!filing?.isUnfinished) continue;
      const isFinished = await workOn(filing, ports, Math.max(endMs, remainingMs() - sliceMs));
      result.worked += 1;
      result.finished += Number(isFinished);
      result.isDone &&= isFinished;
    } catch (error) {
      ports.onFailure(error);
      result.failed += 1;
      result.isDone = false;
    }
  }
  return result;
};
