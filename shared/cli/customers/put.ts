/** `customers put`: create customers, or replace their content, from options or a file. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Account } from '../../accounts/account.ts';
import { type CustomerPorts, createCustomer, updateCustomer } from '../../customers/change-customers.ts';
import type { CustomerRequest } from '../../customers/request.ts';
import { customerPorts } from '../../store/customers/customer-store.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { pathOf } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { customersFrom } from './read-file.ts';

type Options = {
  readonly account: string;
  readonly file?: string;
  readonly name?: string;
  readonly reason?: string;
  readonly states?: string;
  readonly number?: string;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
};

const errorsMax = 20;

const inputOf = async (id: string | undefined, options: Options): Promise<string> => {
  const { file, name, reason, states, number, from, to } = options;
  const terms = { states: states?.split(','), reason, certificate_number: number, valid_from: from, valid_to: to };
  const isCertified = Object.values(terms).some((term) => term !== undefined);
  if ((file === undefined) === (id === undefined) || (file !== undefined && (isCertified || name !== undefined)))
    throw new CommandError('Send the id of a customer with its options, or only --file.');
  if (file !== undefined) return readFile(pathOf(file), 'utf8');
  return JSON.stringify({ id, name, exemptions: isCertified ? [terms] : [] });
};

type Outcome = 'created' | 'changed' | 'unchanged';

/** Create a customer, or replace its name and certificates. */
const put = async (request: CustomerRequest, account: Account, ports: CustomerPorts): Promise<Outcome> => {
  const sent = { idempotency: null, unknownFields: [] };
  const created = await createCustomer({ request, ...sent }, { account }, ports);
  if (created.ok) return created.value.answer.status === 201 ? 'created' : 'unchanged';
  const update = { name: request.name ?? null, exemptions: request.exemptions ?? [] };
  const changed = await updateCustomer({ id: request.id, update, ifMatch: null, ...sent }, { account }, ports);
  if (!changed.ok) throw new CommandError(`Customer ${request.id} could not be changed. Run this again.`);
  return 'changed';
};

const putAll = async (id: string | undefined, options: Options): Promise<void> => {
  const { customers, errors } = customersFrom(await inputOf(id, options));
  if (errors.length > 0) {
    const more = errors.length > errorsMax ? [`and ${errors.length - errorsMax} more errors`] : [];
    throw new CommandError([...errors.slice(0, errorsMax), ...more, 'Nothing was changed.'].join('\n'));
  }
  const account = await requireAccount(options.account);
  const ports = customerPorts(() => Number.POSITIVE_INFINITY);
  const counts: Record<Outcome, number> = { created: 0, changed: 0, unchanged: 0 };
  for (const customer of customers) counts[await put(customer, account, ports)] += 1;
  if (options.json) return printJson(counts);
  print(
    `${counted(customers.length, 'customer')}: ${counts.created} created, ${counts.changed} changed, ${counts.unchanged} unchanged.`,
  );
};

export const addPut = (program: Command): Command =>
  program
    .command('put')
    .summary('create customers, or replace their certificates')
    .description(
      'Create a customer, or replace its name and all of its certificates by those sent. A file is checked as a whole first: with an error in any line, nothing is changed. The next request uses the new certificates.',
    )
    .argument('[customer]', 'its id in your system, such as cus_42')
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--name <name>', 'the name of the customer')
    .option('--reason <reason>', 'resale, government, nonprofit, direct_pay or other')
    .option('--states <states>', 'the states of the certificate, such as MI,OH; default: all')
    .option('--number <number>', 'the number of the certificate')
    .option('--from <date>', 'its first day, such as 2026-01-01')
    .option('--to <date>', 'its last day')
    .option(
      '--file <file>',
      'customers as JSON, as in POST /customers, or as CSV with the columns id, name, states, reason, certificate_number, valid_from and valid_to',
    )
    .option('--json', 'one JSON object with the counts')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run customers -- put cus_42 --account acct_demo --reason resale --states MI,OH --number R-1 --to 2028-12-31\n  npm run customers -- put --account acct_demo --file certificates.csv',
    )
    .action(putAll);
