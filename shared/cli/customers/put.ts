/** `customers put`: create customers, or change their content, from options or a file. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Account } from '../../accounts/account.ts';
import { type CustomerPorts, createCustomer, updateCustomer } from '../../customers/change-customers.ts';
import type { Customer } from '../../customers/customer.ts';
import { type CustomerRequest, exemptionsMax } from '../../customers/request.ts';
import { isSame } from '../../ledger/same-value.ts';
import { customerPorts } from '../../store/customers/customer-store.ts';
import { requireOpenAccount } from '../terminal/accounts.ts';
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
  readonly add?: boolean;
  readonly none?: boolean;
  readonly json?: boolean;
};

const errorsMax = 20;

const inputOf = async (id: string | undefined, options: Options): Promise<string> => {
  const { file, name, reason, states, number, from, to, add, none } = options;
  const terms = { states: states?.split(','), reason, certificate_number: number, valid_from: from, valid_to: to };
  const isCertified = Object.values(terms).some((term) => term !== undefined);
  if (
    (file === undefined) === (id === undefined) ||
    (file !== undefined && (isCertified || name !== undefined || add || none))
  )
    throw new CommandError('Pass the id of a customer with its options, or only --file.');
  if (file !== undefined) return readFile(pathOf(file), 'utf8');
  if (none ? isCertified || add : add && !isCertified)
    throw new CommandError('Pass --add with the options of a certificate, or --none without them.');
  return JSON.stringify({ id, name, exemptions: isCertified ? [terms] : none ? [] : undefined });
};

type Outcome = { readonly kind: 'created' | 'changed' | 'unchanged'; readonly removed: number };

const withEarlier = (exemptions: CustomerRequest['exemptions'], { id, exemptions: earlier }: Customer) => {
  const all = [
    ...earlier.map(({ states, ...terms }) => ({ ...terms, states: states && [...states] })),
    ...(exemptions ?? []),
  ];
  if (all.length > exemptionsMax) throw new CommandError(`${id} would have more than ${exemptionsMax} certificates.`);
  return all;
};

/** Create a customer, or change the fields that are sent. */
const put = async (
  { name, ...request }: CustomerRequest,
  isAdded: boolean,
  account: Account,
  ports: CustomerPorts,
): Promise<Outcome> => {
  const sent = { idempotency: null, unknownFields: [] };
  const { id } = request;
  const before = await ports.customers.find(account.id, id);
  const exemptions = before && isAdded ? withEarlier(request.exemptions, before) : (request.exemptions ?? undefined);
  const update = { ...(name !== undefined && { name }), ...(exemptions && { exemptions }) };
  const ifMatch = [`"${before?.version}"`];
  const result = before
    ? await updateCustomer({ id, update, ifMatch, ...sent }, { account }, ports)
    : await createCustomer({ request: { name, ...request }, ...sent }, { account }, ports);
  if (!result.ok) throw new CommandError(`Customer ${id} was changed at the same time. Run this again.`);
  const after: Pick<Customer, 'version' | 'exemptions'> = JSON.parse(result.value.answer.body);
  const removed = (before?.exemptions ?? []).filter((old) => !after.exemptions.some((each) => isSame(each, old)));
  const kind = before === undefined ? 'created' : before.version === after.version ? 'unchanged' : 'changed';
  return { kind, removed: removed.length };
};

const putAll = async (id: string | undefined, options: Options): Promise<void> => {
  const { customers, errors } = customersFrom(await inputOf(id, options));
  if (errors.length > 0) {
    const more = errors.length > errorsMax ? [`and ${errors.length - errorsMax} more errors`] : [];
    throw new CommandError([...errors.slice(0, errorsMax), ...more, 'Nothing was changed.'].join('\n'));
  }
  const account = await requireOpenAccount(options.account);
  const ports = customerPorts(() => Number.POSITIVE_INFINITY);
  const counts = { created: 0, changed: 0, unchanged: 0, certificates_removed: 0 };
  for (const customer of customers) {
    const { kind, removed } = await put(customer, options.add === true, account, ports);
    counts[kind] += 1;
    counts.certificates_removed += removed;
  }
  if (options.json) return printJson(counts);
  print(
    `${counted(customers.length, 'customer')}: ${counts.created} created, ${counts.changed} changed, ${counts.unchanged} unchanged; ${counted(counts.certificates_removed, 'certificate')} removed.`,
  );
};

export const addPut = (program: Command): Command =>
  program
    .command('put')
    .summary('create customers, or replace their certificates')
    .description(
      'Create a customer, or change it: a certificate replaces all earlier ones, unless you pass --add. Without a certificate or a name, the earlier ones stay. A file is checked as a whole first: with an error in any line, nothing is changed. The next request uses the new certificates.',
    )
    .argument('[customer]', 'its id in your system, such as cus_42')
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--add', 'keep the earlier certificates')
    .option('--none', 'remove all certificates')
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
