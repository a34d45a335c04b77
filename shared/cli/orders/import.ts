import { formatAmount, minorDigits } from '../../money/currency.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { CommandError, type LevyCommand } from '../terminal/run-command.ts';
import type { Order, OrderError } from './read-orders.ts';
import { calculated, clientFor, errorLines, type FileOptions, forEachOrder, refusalText, withFile } from './service.ts';

/** `orders import`: record orders of another system with the tax that it charged. */

type Outcome = 'checked' | 'recorded' | 'existing';

const importOrders = async (options: FileOptions & { readonly dryRun?: boolean }): Promise<void> => {
  const client = clientFor(options);
  const counts: Record<Outcome, number> = { checked: 0, recorded: 0, existing: 0 };
  const run = async (work: (order: Order) => Promise<Outcome | OrderError>) => {
    const errors: OrderError[] = [];
    for await (const outcome of forEachOrder(options, work)) {
      if (typeof outcome === 'string') counts[outcome] += 1;
      else errors.push(outcome);
    }
    return errors;
  };

  const check = async (order: Order): Promise<Outcome | OrderError> => {
    const tax = await calculated(client, order);
    return 'error' in tax ? tax : 'checked';
  };
  const invalid = await run(check);
  if (invalid.length > 0) throw new CommandError([...errorLines(invalid), 'Nothing was recorded.'].join('\n'));

  const record = async ({ line, body, reference, currency, charged }: Order): Promise<Outcome | OrderError> => {
    const sent = {
      ...body,
      status: 'finalized',
      reference_id: reference,
      tax_amount: formatAmount(charged.total, minorDigits(currency)),
    };
    const result = await client.post('/transactions', { body: sent as never });
    if (result.ok) return 'recorded';
    if ((result.refusal.code as string) === 'conflict_duplicate_reference_id') return 'existing';
    return { line, error: refusalText(result.refusal) };
  };
  const refused = options.dryRun ? [] : await run(record);
  if (options.json) printJson({ ...counts, errors: refused });
  else
    print(
      `${counted(counts.checked, 'order')} checked. ${options.dryRun ? 'Nothing was recorded.' : `${counts.recorded} recorded, ${counts.existing} existed already.`}`,
    );
  if (refused.length > 0) throw new CommandError(errorLines(refused).join('\n'));
};

export const addImport = (program: LevyCommand): LevyCommand =>
  withFile(program.command('import'))
    .summary('record orders with the tax that was charged')
    .description(
      'Record each order as a finalized transaction with its `tax_amount`. All orders are checked first: if one has an error, nothing is recorded. An order whose `reference_id` is recorded already is counted and not changed, so an interrupted import can be run again. Set LEVY_API_KEY to a key with the scopes read and write.',
    )
    .option('--dry-run', 'check all orders and record nothing')
    .examples('orders -- import --file orders.ndjson --dry-run', 'orders -- import --file orders.ndjson')
    .action(importOrders);
