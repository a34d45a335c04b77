/** `filings close`, `file` and `cancel`: start a change of a filing and process it until it is complete. */
import type { Account } from '../../accounts/account.ts';
import { assert } from '../../base/assert.ts';
import { dayAfter } from '../../base/calendar.ts';
import { rewordAdvice } from '../../base/command-error.ts';
import { now } from '../../config/clock.ts';
import { createFiling } from '../../filings/create-filing.ts';
import { isOver } from '../../filings/periods.ts';
import { readFiling } from '../../filings/read-filings.ts';
import { FilingUpdate } from '../../filings/request.ts';
import type { Filing } from '../../filings/response.ts';
import { updateFiling } from '../../filings/update-filing.ts';
import { workOn } from '../../filings/work-on.ts';
import { problemIn, wholeNumber } from '../terminal/arguments.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { type Confirmation, requireConfirmation, withProgress } from '../terminal/progress.ts';
import { accepted, CommandError, flag, optional, required, subcommand, yes } from '../terminal/run-command.ts';
import {
  chooseFiling,
  filingArgument,
  filingName,
  filingOptions,
  type Operator,
  periodOptions,
  printFiling,
} from './filing.ts';

// Progress is shown after each turn.
const turnMs = 2000;

const processed = ({ status, progress }: Filing): number =>
  status === 'closing'
    ? progress.entries_moved
    : status === 'canceled'
      ? progress.entries_reopened
      : progress.entries_marked;

/** Processes a filing of `total` entries until it is complete, and returns it. */
const finished = (id: string, title: string, total: number, { account, ports }: Operator): Promise<Filing> => {
  const stopped = `${title} stopped. The schedule will continue it, or run this command again.`;
  return withProgress(title, total, stopped, async (progress) => {
    const read = async () => accepted(await readFiling(id, account, ports));
    for (;;) {
      const stored = await ports.filings.find(account.id, id);
      assert(stored !== undefined, 'A filing that was changed is missing.');
      if (!stored.isUnfinished) break;
      const endMs = performance.now() + turnMs;
      await workOn(stored, { ...ports, remainingMs: () => endMs - performance.now() }, 0);
      const count = processed(await read());
      progress.reach(count, `${count.toLocaleString('en-US')} of ${counted(total, 'entry', 'entries')}`);
    }
    const filing = await read();
    progress.finish(`${id} is ${filing.status}.`);
    return filing;
  });
};

/**
 * Asks for confirmation before a period is closed. Refuses a period that has not ended and, with --yes, a period
 * without a registration.
 */
const confirmClose = async (
  preview: Filing,
  account: Account,
  options: Confirmation & { readonly unregistered: boolean | undefined },
) => {
  const { state, period_end: end } = preview;
  if (!isOver(end, now(), account))
    throw new CommandError(
      `The period of ${state} that ends on ${end} can be closed from ${dayAfter(end)}, in the account's time zone. From its first day, use \`dry-run\` to see its amounts.`,
    );
  const warning = preview.warnings.find(({ code }) => code === 'state_not_registered');
  if (warning && options.yes && !options.unregistered)
    throw new CommandError(`${warning.message} Pass --unregistered to close the period anyway.`);
  if (!options.json) printFiling(preview, false);
  await requireConfirmation(`Close ${filingName(preview)}?`, options);
};

export const close = subcommand({
  name: 'close',
  summary: 'close a period',
  description:
    'Show the amounts of the dry run, ask for confirmation, close the period and wait until it is closed. Later sales and credits count in the next period. For a closed period, shows its filing.',
  options: {
    ...periodOptions,
    yes,
    unregistered: flag('with --yes: allow a period in which the account is not registered in the state'),
    json: flag('the JSON of GET /filings/{id} when it is closed; needs --yes'),
  },
  run: async (options) => {
    const { read, ...operator } = await chooseFiling(undefined, { ...options, dryRun: true });
    const preview = accepted(await read());
    if (preview.id === null) await confirmClose(preview, operator.account, options);
    const { state, period_end } = preview;
    const { body } = accepted(await createFiling({ state, period_end }, operator));
    const { id } = JSON.parse(body);
    const filing = await finished(id, `Closing ${state}`, preview.progress.entries_moved, operator);
    if (!options.json) print();
    printFiling(filing, options.json);
  },
});

export const file = subcommand({
  name: 'file',
  summary: 'record that the return was sent',
  description:
    'Mark a closed filing as filed, and its transactions when the filings of all their states are filed. This cannot be undone.',
  arguments: filingArgument,
  options: {
    ...filingOptions,
    confirmationNumber: required('<number>', 'the confirmation number that the state issued for the return'),
    previousConfirmationNumber: optional('<number>', 'the current number of a filed filing, to correct it'),
    acknowledgeExceptions: optional('<n>', 'the number of exceptions, if there are any', wholeNumber(0, 1e9)),
    json: flag('the JSON of GET /filings/{id} when all transactions are marked'),
  },
  run: async (options, named: string | undefined) => {
    const change = {
      status: 'filed' as const,
      confirmation_number: options.confirmationNumber,
      previous_confirmation_number: options.previousConfirmationNumber ?? null,
      acknowledge_exceptions: options.acknowledgeExceptions ?? null,
    };
    const { error } = FilingUpdate.safeParse(change);
    if (error) throw new CommandError(rewordAdvice(problemIn(error), 'Pass'));
    const { id, read, ...operator } = await chooseFiling(named, options);
    const result = await updateFiling(id, change, operator);
    if (!result.ok && result.problems[0].code === 'conflict_exceptions_not_acknowledged') {
      const count = result.problems[0].meta?.['count'];
      throw new CommandError(
        count === 0
          ? 'The filing has no exceptions: leave out --acknowledge-exceptions.'
          : `Review the exceptions with \`npm run filings -- exceptions ${id} --account ${options.account}\`, then pass --acknowledge-exceptions ${count}.`,
      );
    }
    accepted(result);
    const { entries_moved } = accepted(await read()).progress;
    printFiling(await finished(id, 'Marking transactions as filed', entries_moved, operator), options.json);
  },
});

export const cancel = subcommand({
  name: 'cancel',
  summary: 'cancel the last filing of a state',
  description:
    'Cancel a closed filing, which must be the last one of its state, and wait until its entries are open again. The schedule does not close the period again, so close it yourself.',
  arguments: filingArgument,
  options: {
    ...filingOptions,
    yes,
    json: flag('the JSON of GET /filings/{id} when its entries are open; needs --yes'),
  },
  run: async (options, named: string | undefined) => {
    const { id, read, ...operator } = await chooseFiling(named, options);
    const before = accepted(await read());
    const effect = `Cancel ${id} (${filingName(before)})? Its entries become open again, including late ones. The next close of the period includes them. The schedule does not close the period again.`;
    if (before.status === 'closed') {
      if (!options.json) print(effect);
      await requireConfirmation('Cancel this filing?', options);
    }
    accepted(await updateFiling(id, { status: 'canceled' }, operator));
    const filing = await finished(id, `Reopening ${before.state}`, before.progress.entries_moved, operator);
    if (options.json) return printJson(filing);
    print(
      `${id} is canceled, and its entries are open again. Close the period with \`npm run filings -- close --account ${options.account} --state ${filing.state} --period-end ${filing.period_end}\`.`,
    );
  },
});
