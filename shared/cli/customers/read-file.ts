import { CsvError, parse } from 'csv-parse/sync';
import { textProblems } from '../../api/body.ts';
import { unionProblems } from '../../api/field-problems.ts';
import { CommandError, jsonOrRefuse } from '../../base/command-error.ts';
import { asObject } from '../../base/json.ts';
import { type Problem, problemPointer } from '../../base/problem.ts';
import { CertificateRequest, CustomerRequest, exemptionsMax } from '../../customers/request.ts';

/** Customers of a file, or the errors by line or entry. */
type FileCustomers = { readonly customers: readonly CustomerRequest[]; readonly errors: readonly string[] };

type Place = (pointer: string) => string;

const fieldNames = new Set([...Object.keys(CustomerRequest.shape), ...Object.keys(CertificateRequest.shape)]);

const unknownNames = (value: unknown, names: readonly string[]): string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value).filter((name) => !names.includes(name)) : [];

/** The errors of one customer, each with its place in the file. */
const errorsOf = (value: unknown, place: Place): string[] => {
  const sentence = (problem: Problem) => `${place(problemPointer(problem))}: ${problem.title}. ${problem.detail}`;
  // Limited as in a request, because the schema overflows the stack on values that are nested too deep.
  const unstorable = textProblems(value);
  if (unstorable.length > 0) return unstorable.map(sentence);
  const { error } = CustomerRequest.safeParse(value);
  const certificates = (value as { readonly exemptions?: unknown } | null)?.exemptions;
  const unknown = [
    ...unknownNames(value, Object.keys(CustomerRequest.shape)),
    ...(Array.isArray(certificates) ? certificates : []).flatMap((certificate) =>
      unknownNames(certificate, Object.keys(CertificateRequest.shape)),
    ),
  ];
  return [
    ...(error?.issues ?? []).flatMap((issue) => unionProblems(issue, value)).map(sentence),
    ...unknown.map((name) => `${place('')}: Unknown field ${name}. Use ${[...fieldNames].join(', ')}.`),
  ];
};

const fromJson = (text: string): FileCustomers => {
  const values = jsonOrRefuse(text, 'The file is');
  const entries: readonly unknown[] = Array.isArray(values) ? values : [values];
  const errors = entries.flatMap((entry, index) =>
    errorsOf(entry, (pointer) => `Entry ${index + 1} ${pointer}`.trim()),
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

const columns = ['id', 'name', 'states', 'reason', 'certificate_number', 'valid_from', 'valid_to'] as const;
type Column = (typeof columns)[number];
type Row = { readonly record: Readonly<Partial<Record<Column, string>>>; readonly line: number };

const parsed = (text: string, onHeader: (names: string[]) => string[]) => {
  try {
    const options = { bom: true, info: true, skip_empty_lines: true, trim: true, columns: onHeader } as const;
    return parse(text, options) as unknown as { record: Record<string, string>; info: { lines: number } }[];
  } catch (error) {
    if (error instanceof CsvError)
      throw new CommandError(`The file is not CSV: ${error.message}. Nothing was changed.`);
    throw error;
  }
};

const readRows = (text: string): readonly Row[] => {
  let header: readonly string[] = [];
  const rows = parsed(text, (names) => {
    header = names;
    return names;
  });
  const unknown = header.filter((name) => !columns.includes(name as Column));
  if (unknown.length > 0 || !header.includes('id'))
    throw new CommandError(
      `The first line must name the columns: ${columns.join(',')}. Unknown: ${unknown.join(', ') || 'none'}.`,
    );
  const repeated = header.find((name, at) => header.indexOf(name) !== at);
  if (repeated !== undefined) throw new CommandError(`The first line repeats the column ${repeated}. Name it once.`);
  return rows.map(({ record, info }) => ({ record, line: info.lines }));
};

const orNull = (text: string | undefined): string | null => text || null;

/** The customer of one row: with one certificate, or none where all columns of the certificate are empty. */
const customerOf = ({ record }: Row): CustomerRequest => {
  const { id = '', states, reason, certificate_number, valid_from, valid_to } = record;
  const isCertified = [states, reason, certificate_number, valid_from, valid_to].some(Boolean);
  const certificate = {
    states: states ? states.split(';').map((state) => state.trim()) : null,
    // The schema refuses other values.
    reason: (reason || undefined) as CertificateRequest['reason'],
    certificate_number: orNull(certificate_number),
    valid_from: orNull(valid_from),
    valid_to: orNull(valid_to),
  };
  return { id, name: orNull(record.name), exemptions: isCertified ? [certificate] : [] };
};

const fromCsv = (text: string): FileCustomers => {
  const errors: string[] = [];
  const customers = new Map<string, CustomerRequest & { readonly exemptions: CertificateRequest[] }>();
  for (const row of readRows(text)) {
    const customer = customerOf(row);
    const earlier = customers.get(customer.id);
    const exemptions = earlier?.exemptions ?? [];
    exemptions.push(...(customer.exemptions ?? []));
    errors.push(...errorsOf(customer, () => `Line ${row.line}`));
    if (earlier && earlier.name !== customer.name)
      errors.push(`Line ${row.line}: The name differs from an earlier line of ${customer.id}. Use one name.`);
    if (exemptions.length === exemptionsMax + 1)
      errors.push(
        `Line ${row.line}: ${customer.id} has more than ${exemptionsMax} certificates. Leave out the oldest.`,
      );
    customers.set(customer.id, { ...customer, exemptions });
  }
  return { customers: errors.length === 0 ? [...customers.values()] : [], errors };
};

/**
 * Read customers from the text of a file: JSON (one customer or an array of them, as in POST /customers), or CSV with one
 * line for each certificate. Lines of the same id are one customer; several states are separated by semicolons.
 */
export const customersFrom = (file: string): FileCustomers => {
  const text = file.replace(/^\uFEFF/, '');
  return /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text);
};
