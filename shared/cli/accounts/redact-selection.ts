import { type Redacted, type RedactionPorts, redactTransaction } from '../../ledger/personal-data/redact.ts';
import { concurrently } from '../ledger/verify-account.ts';
import { type Selected, type Selection, selectedTransactions } from './redaction-subjects.ts';

/** How many transactions had which outcome. */
export type Outcome = Record<Redacted, number> & {
  readonly inconsistentIds: string[];
  /** Transactions that were recorded during the redaction and still have the data. */
  left: number;
};

/** The name in `by` of audit entries that a command of an operator made. */
const operator = 'operator';

/** How often the selection is read again for transactions that were recorded meanwhile. */
const passesMax = 5;

/** The transactions of a selection that are not redacted, in pages, but for those whose state is inconsistent. */
const remainingTransactions = async function* (account: string, selection: Selection, { inconsistentIds }: Outcome) {
  for await (const page of selectedTransactions(account, selection))
    yield page.filter(({ id, redacted_at }) => redacted_at === undefined && !inconsistentIds.includes(id));
};

const countRemaining = async (...selected: Parameters<typeof remainingTransactions>): Promise<number> => {
  let count = 0;
  for await (const page of remainingTransactions(...selected)) count += page.length;
  return count;
};

/**
 * Redact the transactions of a selection, several at the same time, then those that were recorded meanwhile, until none is
 * left or after several passes. After an interruption, the next run does the rest.
 */
export const redactSelection = async (
  account: string,
  selection: Selection,
  ports: RedactionPorts,
  onPage: (redacted: number) => void = () => {},
): Promise<Outcome> => {
  const outcome: Outcome = { redacted: 0, already: 0, unknown: 0, inconsistent: 0, inconsistentIds: [], left: 0 };
  const redactPages = async (pages: AsyncIterable<readonly Selected[]>) => {
    for await (const page of pages) {
      await concurrently(page, async ({ id }) => {
        const done = await redactTransaction(account, id, operator, ports);
        outcome[done] += 1;
        if (done === 'inconsistent') outcome.inconsistentIds.push(id);
      });
      onPage(outcome.redacted);
    }
  };
  // The first pass includes redacted ones: an interruption may have left their saved answers.
  await redactPages(selectedTransactions(account, selection));
  for (let pass = 1; pass < passesMax; pass += 1) {
    outcome.left = await countRemaining(account, selection, outcome);
    if (outcome.left === 0) break;
    await redactPages(remainingTransactions(account, selection, outcome));
  }
  if (outcome.left > 0) outcome.left = await countRemaining(account, selection, outcome);
  return outcome;
};
