/** `npm run customers -- …`: the customers of an account and their exemption certificates. */
import { addDays, toDay } from '../base/calendar.ts';
import { now } from '../config/clock.ts';
import { type Customer, customerNotFound, isExpiring, isForState, readCustomers } from '../customers/customer.ts';
import { customerReads } from '../store/customers/customer-reads.ts';
import { addPut } from './customers/put.ts';
import { requireAccount, stateOption, wholeNumber } from './terminal/arguments.ts';
import { counted, print, printJson, shown, textTable } from './terminal/output.ts';
import { CommandError, LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

type Options = { readonly account: string; readonly json?: boolean };

const headings = ['customer', 'name', 'reason', 'certificate', 'states', 'first day', 'last day'];

/** Returns one row per certificate, or one row for a customer without certificates. */
const listRows = ({ id, name, exemptions }: Customer): readonly (readonly string[])[] => {
  const who = [shown(id), shown(name ?? '')];
  if (exemptions.length === 0) return [[...who, 'none']];
  return exemptions.map(({ reason, certificate_number: number, states, valid_from, valid_to }) => [
    ...who,
    reason,
    shown(number ?? ''),
    states?.join(' ') ?? 'all',
    valid_from ?? '',
    valid_to ?? '',
  ]);
};

const formatTable = (customers: readonly Customer[]): string => textTable([headings, ...customers.flatMap(listRows)]);

const printAll = async (customers: AsyncIterable<Customer>, { json }: Options, summary: (count: number) => string) => {
  const found = await Array.fromAsync(customers);
  if (json) return printJson(found);
  if (found.length > 0) print(formatTable(found));
  print(summary(found.length));
};

const addAccount = (command: LevyCommand): LevyCommand => command.account();

const addList = (program: LevyCommand): void => {
  addAccount(program.command('list'))
    .summary('all customers with their certificates')
    .description('List the customers of an account in the order of their ids, one line for each certificate.')
    .option('--state <state>', 'only customers with a certificate for this state or for all states', stateOption)
    .option('--json', 'one JSON array')
    .action(async ({ state, ...options }: Options & { readonly state?: string }) => {
      const conditions = state === undefined ? [] : [isForState(state)];
      const { id } = await requireAccount(options.account);
      await printAll(
        readCustomers(id, customerReads, ...conditions),
        options,
        (count) => `${counted(count, 'customer')}.`,
      );
    });
};

const addShow = (program: LevyCommand): void => {
  addAccount(program.command('show'))
    .summary('one customer')
    .description('Show a customer with its certificates.')
    .argument('<customer>', 'the id of the customer in your system, such as cus_42')
    .option('--json', 'one JSON object')
    .action(async (customer: string, { account, json }: Options) => {
      const { id } = await requireAccount(account);
      const found = await customerReads.find(id, customer);
      if (!found)
        throw new CommandError(
          `${customerNotFound.detail} List them with \`npm run customers -- list --account ${id}\`.`,
        );
      if (json) return printJson(found);
      print(formatTable([found]));
      print(`Version ${found.version}, changed ${found.updated_at}.`);
    });
};

const withinMax = 3660;

const addExpiring = (program: LevyCommand): void => {
  addAccount(program.command('expiring'))
    .summary('certificates that expire soon')
    .description('List the certificates whose last day is today (in UTC) or within the next days.')
    .option('--within <days>', 'the number of days from today', wholeNumber(0, withinMax), 30)
    .option('--json', 'one JSON array of customers, with these certificates only')
    .examples('customers -- expiring --account acct_demo --within 60')
    .action(async ({ within, ...options }: Options & { readonly within: number }) => {
      const { id } = await requireAccount(options.account);
      const today = toDay(now());
      const isWanted = isExpiring(today, addDays(today, within + 1));
      const expiring = async function* () {
        for await (const customer of readCustomers(id, customerReads, isWanted))
          yield { ...customer, exemptions: customer.exemptions.filter(isWanted) };
      };
      await printAll(expiring(), options, (count) =>
        count === 0
          ? `No certificate expires within ${counted(within, 'day')}.`
          : `${counted(count, 'customer')} with a certificate that expires within ${counted(within, 'day')}.`,
      );
    });
};

export const customersProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('customers').description(
      'Customers and their exemption certificates, in the Transactions table on AWS, or in the emulator at DYNAMODB_ENDPOINT. Only `put` writes.',
    ),
    'customers -- expiring --account acct_demo --within 30',
    [addList, addShow, addPut, addExpiring],
  );

if (import.meta.main) await runCommand(customersProgram());
