import { type Problem, problemText } from '../base/result.ts';

/** Errors in TaxJar's form: `{"status": 406, "error": "Not Acceptable", "detail": "…"}`. */

const names: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Ends a request with an error in TaxJar's format. */
export class TaxJarRefusal extends Error {
  override readonly name = 'TaxJarRefusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The codes of Levy's errors; empty if the TaxJar interface itself refuses the request. */
  readonly codes: readonly Problem['code'][];
  constructor(
    status: number,
    detail: string,
    { headers = {}, codes = [] }: Partial<Pick<TaxJarRefusal, 'headers' | 'codes'>> = {},
  ) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.codes = codes;
  }
}

export const hasCode = (error: unknown, code: Problem['code']): boolean =>
  error instanceof TaxJarRefusal && error.codes.includes(code);

/** Returns the result of a call of Levy; `null` if Levy refuses it with this status. */
export const nullIfRefused = <Value>(call: Promise<Value>, status: number): Promise<Value | null> =>
  call.catch((error: unknown) => {
    if (error instanceof TaxJarRefusal && error.status === status) return null;
    throw error;
  });

/** Examples of required fields. */
const examples: Readonly<Record<string, string>> = {
  to_country: 'US',
  to_state: 'MI',
  state: 'MI',
  to_zip: '48933',
  zip: '48933',
  transaction_date: '2026-10-14',
  amount: '16.5',
  shipping: '0',
  sales_tax: '1.35',
  exemption_type: 'wholesale',
};

export const missing = (field: string): TaxJarRefusal =>
  new TaxJarRefusal(406, `${field} is missing. Send ${[field, examples[field] ?? []].flat().join(', such as ')}.`);
export const notFound = (what: string): TaxJarRefusal => new TaxJarRefusal(404, `${what} was not found.`);

// TaxJar returns 406 for a parameter that is missing or not acceptable, and 422 for an id that exists.
const statuses: Readonly<Record<number, number>> = { 409: 422, 412: 422, 413: 406, 415: 406, 422: 406 };

/** The parts of an address: Levy's name, and TaxJar's after `to_` or `from_`. */
export const addressParts = [
  ['country', 'country'],
  ['postal_code', 'zip'],
  ['state', 'state'],
  ['city', 'city'],
  ['line1', 'street'],
] as const;
const fieldNames: Readonly<Record<string, string>> = {
  '/reference_id': 'transaction_id',
  '/parent_transaction_id': 'transaction_reference_id',
  '/tax_amount': 'sales_tax',
  '/tax_date': 'transaction_date',
  '/shipping/amount': 'shipping',
  '/customer/address': 'to_state',
  '/ship_from/address': 'from_state',
  '/id': 'customer_id',
};

/** Returns TaxJar's name of a field, from its JSON pointer in Levy's request. */
const getName = (stored: string): string => {
  const pointer = stored.replace('/metadata/taxjar_', '/');
  const [, kind, part = ''] = /^\/(customer|ship_from)\/address\/(\w+)$/.exec(pointer) ?? [];
  if (kind) return `${kind === 'customer' ? 'to' : 'from'}_${addressParts.find(([own]) => own === part)?.[1] ?? part}`;
  const [, region] = /^\/exemptions\/0\/states\/(\d+)$/.exec(pointer) ?? [];
  if (region) return `exempt_regions[${region}][state]`;
  const [, at, field] = /^\/line_items\/(\d+)(?:\/(\w+))?$/.exec(pointer) ?? [];
  if (at) return `line_items[${at}]${field ? `[${field === 'discount_amount' ? 'discount' : field}]` : ''}`;
  return fieldNames[pointer] ?? pointer.slice(1).replaceAll('/', '.');
};

type Refused = {
  readonly errors: readonly (Pick<Problem, 'code' | 'title' | 'detail'> & { readonly source?: object | null })[];
};

const concurrent = 'Another request changed this at the same time. Read it, and send the request again.';

/** Refuses a PUT if a concurrent PUT replaced the transaction. */
export const concurrentChange = (): TaxJarRefusal =>
  new TaxJarRefusal(422, concurrent, { codes: ['precondition_failed'] });

/** The advice in TaxJar's terms, where Levy's terms differ. */
const remedies: Partial<Record<Problem['code'], string>> = {
  conflict_has_credits: 'The order has refunds. Delete them first, or record another refund.',
  conflict_duplicate_reference_id: 'transaction_id: Another transaction has this id. Send a different id.',
  conflict_period_closed: 'A return includes this transaction. Record another refund or order instead.',
  conflict_invalid_status_transition:
    'The return of this transaction is filed. Record another refund or order instead.',
  precondition_failed: concurrent,
};

const describeError = (error: Refused['errors'][number]): string => {
  const remedy = remedies[error.code];
  if (remedy) return remedy;
  const { source } = error;
  const { pointer, parameter }: { readonly pointer?: string | null; readonly parameter?: string } = source ?? {};
  const name = pointer ? getName(pointer) : addressParts.find(([own]) => own === parameter)?.[1];
  // An amount can also be a number.
  const text = problemText(error).replaceAll(' a decimal as a string', ' a decimal');
  return name ? `${name}: ${text}` : text;
};

/** Converts an error envelope of Levy. `detail` keeps its sentences, each with TaxJar's name of the field. */
export const toRefusal = (status: number, { errors }: Refused): TaxJarRefusal =>
  new TaxJarRefusal(statuses[status] ?? status, errors.map(describeError).join(' '), {
    codes: errors.map(({ code }) => code),
  });

/** The body of an error. */
export const errorBody = ({ status, message }: TaxJarRefusal) => ({
  status,
  error: names[status] ?? 'Error',
  detail: message,
});
