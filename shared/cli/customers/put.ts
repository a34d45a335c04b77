import { Readable } from 'node:stream';
import type { Account } from '../../accounts/account.ts';
import { parseBody } from '../../api/body.ts';
import { jsonOrRefuse, rewordAdvice } from '../../base/command-error.ts';
import { unguard } from '../../base/csv.ts';
import { asObject, isSame } from '../../base/json.ts';
import { problemPointer } from '../../base/result.ts';
import { customerResponseFields } from '../../calculations/response-fields.ts';
import {
  type Customer,
  type CustomerPorts,
  createCustomer,
  toCertificate,
  updateCustomer,
} from '../../customers/customer.ts';
import { CertificateRequest, CustomerRequest, exemptionsMax } from '../../customers/request.ts';
import { customerPorts } from '../../store/customers/customer-store.ts';
import { requireOpenAccount, resolvePath } from '../terminal/arguments.ts';
import { type CsvRow, csvRows, readText } from '../terminal/files.ts';
import { counted, firstErrors, print, printJson } from '../terminal/output.ts';
import { account, CommandError, flag, optional, subcommand } from '../terminal/run-command.ts';

/** The customers in a file, or the errors by line or entry. */
type FileCustomers = { readonly customers: readonly CustomerRequest[]; readonly errors: readonly string[] };

const fieldNames = [...new Set([...Object.keys(CustomerRequest.shape), ...Object.keys(CertificateRequest.shape)])];

const body = { schema: CustomerRequest, ignored: customerResponseFields };
const strict = new Map([['prefer', ['handling=strict']]]);

/** Returns the errors of one customer as POST /customers does, each with its position in the file. */
const listErrors = (value: unknown, place: (pointer: string) => string, verb: 'Pass' | 'Write' = 'Write'): string[] =>
  parseBody(body, { body: value, headers: strict, responseHeaders: {} }).problems.map((problem) =>
    problem.code === 'validation_unknown_field'
      ? `${place('')}: ${problem.title}. Use ${fieldNames.join(', ')}.`
      : `${place(problemPointer(problem))}: ${problem.title}. ${rewordAdvice(problem.detail, verb)}`,
  );

const fromJson = (text: string): FileCustomers => {
  const values = jsonOrRefuse(text, 'The file is');
  const entries: readonly unknown[] = Array.isArray(values) ? values : [values];
  const errors = entries.flatMap((entry, index) =>
    listErrors(entry, (pointer) => `Entry ${index + 1} ${pointer}`.trim()),
  );
  const seen = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const id = asObject(entry)?.['id'];
    if (typeof id === 'string' && seen.has(id))
      errors.push(`Entry ${index + 1}: The id ${id} is repeated. List each customer once.`);
    seen.add(id);
  }
  return { customers: errors.length === 0 ? (entries as readonly CustomerRequest[]) : [], errors };
};

const columns = [
  ...(['id', 'name', 'states', 'reason', 'certificate_number', 'document_url', 'valid_from', 'valid_to'] as const),
];

/** Returns the states of a text; `null` for `all`, as in the files of the console. */
const splitStates = (text: string): string[] | null =>
  text.trim().toLowerCase() === 'all' ? null : text.split(/[;,]/).map((state) => state.trim());

const orNull = (text: string | undefined): string | null => (text ? unguard(text) : null);

/**
 * Returns the customer of one row, with one certificate, or with none if all certificate columns are empty. Omits
 * fields without a column in the file, so that a stored customer keeps them.
 */
const toCustomer = ({ record }: CsvRow<(typeof columns)[number]>): CustomerRequest => {
  const { id = '', name, ...terms } = record;
  const { states, reason, certificate_number, document_url, valid_from, valid_to } = terms;
  const isCertified = Object.values(terms).some(Boolean);
  const certificate = {
    states: states ? splitStates(states) : null,
    // The schema refuses other values.
    reason: (reason || undefined) as CertificateRequest['reason'],
    certificate_number: orNull(certificate_number),
    document_url: orNull(document_url),
    valid_from: orNull(valid_from),
    valid_to: orNull(valid_to),
  };
  return {
    id: unguard(id),
    ...(name !== undefined && { name: orNull(name) }),
    ...(Object.keys(terms).length > 0 && { exemptions: isCertified ? [certificate] : [] }),
  };
};

const fromCsv = async (text: string): Promise<FileCustomers> => {
  const errors: string[] = [];
  const customers = new Map<string, CustomerRequest>();
  for await (const row of csvRows(Readable.from([text]), columns, ['id'])) {
    const customer = toCustomer(row);
    const earlier = customers.get(customer.id);
    const before = earlier?.exemptions ?? [];
    // Comparing more certificates than a customer can have would take quadratic time.
    const sent = before.length > exemptionsMax ? [] : (customer.exemptions ?? []);
    const added = sent.filter((one) => !before.some((each) => isSame(each, one)));
    const exemptions = [...before, ...added];
    errors.push(...listErrors(customer, () => `Line ${row.line}`));
    if (earlier && earlier.name !== customer.name)
      errors.push(`Line ${row.line}: The name differs from an earlier line of ${customer.id}. Use one name.`);
    if (added.length > 0 && exemptions.length === exemptionsMax + 1)
      errors.push(`Line ${row.line}: ${customer.id} has more than ${exemptionsMax} certificates. Omit the oldest.`);
    customers.set(customer.id, { ...customer, ...(customer.exemptions && { exemptions }) });
  }
  return { customers: errors.length === 0 ? [...customers.values()] : [], errors };
};

/**
 * Parses customers from JSON (one customer or an array, as in POST /customers) or CSV (one line per certificate). CSV
 * lines with the same id form one customer; states are separated by semicolons or commas.
 */
export const customersFrom = async (file: string): Promise<FileCustomers> => {
  const text = file.replace(/^\uFEFF/, '');
  return /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text);
};

/** `customers put`: create customers, or change their content, from options or a file. */

const certificateOptions = {
  reason: optional('<reason>', 'resale, government, nonprofit, direct_pay or other'),
  states: optional('<states>', 'the states of the certificate, such as MI,OH; default: all'),
  number: optional('<number>', 'the number of the certificate'),
  url: optional('<url>', 'a link to the file of the certificate, which begins with https://'),
  from: optional('<date>', 'its first day, such as 2026-01-01'),
  to: optional('<date>', 'its last day'),
};

type Input = Readonly<Record<keyof typeof certificateOptions | 'file' | 'name', string | undefined>> &
  Readonly<Record<'add' | 'none', boolean | undefined>>;

/** The options whose names differ from the field's. */
const optionNames: Readonly<Record<string, string>> = {
  id: 'the id',
  certificate_number: '--number',
  document_url: '--url',
  valid_from: '--from',
  valid_to: '--to',
};

/** Returns the option of a field, such as `--from` for `/exemptions/0/valid_from`. */
const nameOption = (pointer: string): string => {
  const [, field = ''] = /^(?:\/exemptions\/0)?\/(\w+)/.exec(pointer) ?? [];
  return optionNames[field] ?? `--${field}`;
};

const readInput = async (id: string | undefined, options: Input): Promise<FileCustomers> => {
  const { file, name, reason, states, number, url, from, to, add, none } = options;
  const texts = { certificate_number: number, document_url: url, valid_from: from, valid_to: to };
  const terms = { states: states === undefined ? undefined : splitStates(states), reason, ...texts };
  const isCertified = Object.values(terms).some((term) => term !== undefined);
  if (
    (file === undefined) === (id === undefined) ||
    (file !== undefined && (isCertified || name !== undefined || add || none))
  )
    throw new CommandError('Pass the id of a customer with its options, or only --file.');
  if (file !== undefined) return customersFrom(readText(file));
  if (none ? isCertified || add : add && !isCertified)
    throw new CommandError('Pass --add with the options of a certificate, or --none without them.');
  const sent = { id, name, exemptions: isCertified ? [terms] : none ? [] : undefined };
  const customer = JSON.parse(JSON.stringify(sent)) as CustomerRequest;
  const errors = listErrors(customer, nameOption, 'Pass');
  return { customers: errors.length === 0 ? [customer] : [], errors };
};

/** Adds certificates to the existing ones. Skips a certificate that the customer has, so a repeat changes nothing. */
const withEarlier = (exemptions: CustomerRequest['exemptions'], { id, exemptions: earlier }: Customer) => {
  const all = [
    ...earlier.map(({ states, ...terms }) => ({ ...terms, states: states && [...states] })),
    ...(exemptions ?? []).filter((one) => !earlier.some((each) => isSame(each, toCertificate(one)))),
  ];
  if (all.length > exemptionsMax) throw new CommandError(`${id} would have more than ${exemptionsMax} certificates.`);
  return all;
};

/** Creates a customer, or changes the fields that are sent. */
const putOne = async (
  { name, ...request }: CustomerRequest,
  isAdded: boolean,
  account: Account,
  ports: CustomerPorts,
) => {
  const sent = { idempotency: null, unknownFields: [] };
  const { id } = request;
  const before = await ports.customers.find(account.id, id);
  const exemptions = before && isAdded ? withEarlier(request.exemptions, before) : (request.exemptions ?? undefined);
  const update = { ...(name !== undefined && { name }), ...(exemptions && { exemptions }) };
  const ifMatch = [`"${before?.version}"`];
  const result = before
    ? await updateCustomer({ id, update, ifMatch, ...sent }, { account }, ports)
    : await createCustomer({ request: { name, ...request }, ...sent }, { account }, ports);
  if (!result.ok) throw new CommandError(`Customer ${id} was changed concurrently. Run this again.`);
  const after: Pick<Customer, 'version' | 'exemptions'> = JSON.parse(result.value.body);
  const removed = (before?.exemptions ?? []).filter((old) => !after.exemptions.some((each) => isSame(each, old)));
  const kind = before === undefined ? 'created' : before.version === after.version ? 'unchanged' : 'changed';
  return { kind, removed: removed.length } as const;
};

export const put = subcommand({
  name: 'put',
  summary: 'create customers, or replace their certificates',
  description:
    'Create or change a customer. A certificate replaces all earlier ones unless you pass --add. A certificate or name that you do not pass is kept. A file is validated completely first: if any line has an error, nothing is changed. The next request uses the new certificates.',
  arguments: [['[customer]', 'the id of the customer in your system, such as cus_42']],
  options: {
    account,
    add: flag('keep the earlier certificates'),
    none: flag('remove all certificates'),
    name: optional('<name>', 'the name of the customer'),
    ...certificateOptions,
    file: optional(
      '<file>',
      'customers as JSON, as in POST /customers, or as CSV with the columns id, name, states, reason, certificate_number, document_url, valid_from and valid_to',
      resolvePath,
    ),
    json: flag('one JSON object with the counts'),
  },
  examples: [
    'customers -- put cus_42 --account acct_demo --reason resale --states MI,OH --number R-1 --to 2028-12-31',
    'customers -- put --account acct_demo --file certificates.csv',
  ],
  run: async (options, id: string | undefined) => {
    const { customers, errors } = await readInput(id, options);
    if (errors.length > 0) throw new CommandError([...firstErrors(errors), 'Nothing was changed.'].join('\n'));
    const account = await requireOpenAccount(options.account);
    const ports = customerPorts(() => Number.POSITIVE_INFINITY);
    const counts = { created: 0, changed: 0, unchanged: 0, certificates_removed: 0 };
    for (const customer of customers) {
      const { kind, removed } = await putOne(customer, options.add === true, account, ports);
      counts[kind] += 1;
      counts.certificates_removed += removed;
    }
    if (options.json) return printJson(counts);
    print(
      `${counted(customers.length, 'customer')}: ${counts.created} created, ${counts.changed} changed, ${counts.unchanged} unchanged; ${counted(counts.certificates_removed, 'certificate')} removed.`,
    );
  },
});
