/** `npm run customers -- …`: the customers of an account and their exemption certificates. */
import { taxDateAt } from '../accounts/time-zone.ts';
import { addDays } from '../base/calendar.ts';
import { now } from '../config/clock.ts';
import { type Customer, isExpiring, isForState, readCustomers } from '../customers/customer.ts';
import { customerReads } from '../store/customers/customer-reads.ts';
import { put } from './customers/put.ts';
import { parseState, requireAccount, wholeNumber } from './terminal/arguments.ts';
import { type Columns, counted, formatTable, print, printJson, shown } from './terminal/output.ts';
import {
  account,
  CommandError,
  createProgram,
  flag,
  optional,
  runCommand,
  subcommand,
  withDefault,
} from './terminal/run-command.ts';

/** A row for each certificate, or one for a customer without certificates. */
const columns: Columns<{
  readonly customer: Customer;
  readonly certificate: Customer['exemptions'][number] | undefined;
}> = [
  ['customer', ({ customer }) => shown(customer.id)],
  ['name', ({ customer }) => shown(customer.name ?? '')],
  ['reason', ({ certificate }) => certificate?.reason ?? 'none'],
  ['certificate', ({ certificate }) => shown(certificate?.certificate_number ?? '')],
  ['states', ({ certificate }) => certificate && (certificate.states?.join(' ') ?? 'all')],
  ['first day', ({ certificate }) => certificate?.valid_from],
  ['last day', ({ certificate }) => certificate?.valid_to],
];

const customerTable = (customers: readonly Customer[]): string =>
  formatTable(
    columns,
    customers.flatMap((customer) =>
      (customer.exemptions.length === 0 ? [undefined] : customer.exemptions).map((certificate) => ({
        customer,
        certificate,
      })),
    ),
  );

const printAll = (found: readonly Customer[], json: boolean | undefined, summary: string): void => {
  if (json) printJson(found);
  else print(found.length > 0 ? `${customerTable(found)}\n${summary}` : summary);
};

const list = subcommand({
  name: 'list',
  summary: 'all customers with their certificates',
  description: 'List the customers of an account in the order of their ids, one line for each certificate.',
  options: {
    account,
    state: optional('<state>', 'only customers with a certificate for this state or for all states', parseState),
    json: flag('one JSON array'),
  },
  run: async ({ account, state, json }) => {
    const { id } = await requireAccount(account);
    const conditions = state === undefined ? [] : [isForState(state)];
    const found = await Array.fromAsync(readCustomers(id, customerReads, ...conditions));
    printAll(found, json, `${counted(found.length, 'customer')}.`);
  },
});

const show = subcommand({
  name: 'show',
  summary: 'one customer',
  description: 'Show a customer with its certificates.',
  arguments: [['<customer>', 'the id of the customer in your system, such as cus_42']],
  options: { account, json: flag('one JSON object') },
  run: async ({ account, json }, customer: string) => {
    const { id } = await requireAccount(account);
    const found = await customerReads.find(id, customer);
    if (!found)
      throw new CommandError(
        `The account ${id} has no customer ${customer}. List the customers with \`npm run customers -- list --account ${id}\`.`,
      );
    if (json) return printJson(found);
    print(customerTable([found]));
    print(`Version ${found.version}, changed ${found.updated_at}.`);
  },
});

const withinMax = 3660;

const expiring = subcommand({
  name: 'expiring',
  summary: 'certificates that expire soon',
  description:
    'List the certificates whose last day is today, in the time zone of the account, or at most --within days later.',
  options: {
    account,
    within: withDefault(30, '<days>', 'the number of days from today', wholeNumber(0, withinMax)),
    json: flag('one JSON array of customers, with these certificates only'),
  },
  examples: ['customers -- expiring --account acct_demo --within 60'],
  run: async ({ account, within, json }) => {
    const { id, settings } = await requireAccount(account);
    const today = taxDateAt(now(), settings.time_zone).slice(0, 10);
    const isWanted = isExpiring(today, addDays(today, within + 1));
    const customers = await Array.fromAsync(readCustomers(id, customerReads, isWanted));
    const found = customers.map((customer) => ({ ...customer, exemptions: customer.exemptions.filter(isWanted) }));
    const subject = found.length === 0 ? 'No' : `${counted(found.length, 'customer')} with a`;
    const verb = found.length === 0 ? 'certificate expires' : 'certificate that expires';
    printAll(found, json, `${subject} ${verb} within ${counted(within, 'day')}.`);
  },
});

export const customersProgram = () =>
  createProgram(
    'customers',
    'Customers and their exemption certificates, in the Transactions table on AWS, or in the emulator at DYNAMODB_ENDPOINT. Only `put` writes.',
    'customers -- expiring --account acct_demo --within 30',
    [list, show, put, expiring],
  );

if (import.meta.main) await runCommand(customersProgram());
