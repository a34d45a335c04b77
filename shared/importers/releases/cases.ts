import * as z from 'zod/mini';
import { CommandError, jsonOrRefuse } from '../../base/command-error.ts';
import { asObject } from '../../base/json.ts';
import { day, decimalString, productTaxCode, quantity } from '../../calculations/fields.ts';
import { stateCode } from '../../vocabulary/jurisdiction.ts';

const stateAdvice = 'Use a two-letter state code.';

/** One line of a worked case. A line of the family SHIPPING is the shipping charge. */
const CaseLine = z.looseObject({
  id: z.optional(z.string()),
  ptc: productTaxCode,
  quantity,
  unit_price: decimalString,
  discount: z.optional(decimalString),
  third_party_discount: z.optional(decimalString),
});
export type CaseLine = z.infer<typeof CaseLine>;

/**
 * A worked case: a sale whose tax is known from a source other than this service. A file holds an array of them, or an
 * object with them as `cases`.
 *
 * ```json
 * {
 *   "id": "minneapolis-general",
 *   "state": "MN",
 *   "zip": "55401",
 *   "date": "2026-04-15",
 *   "input": { "lines": [{ "ptc": "GENERAL", "quantity": "1", "unit_price": "100.00" }] },
 *   "expected": { "tax_total": "9.03" }
 * }
 * ```
 *
 * The destination: `zip` (five digits, or ZIP+4), `locality` (a city that the release names; any other city also needs
 * a `zip`, or an entry of the option `--zips`), or neither for the state alone. `date` is the tax day; default: today.
 * Amounts are decimal strings of US dollars. `discount` is paid for by the seller and `third_party_discount` by a third
 * party; both are for the whole line. `tax_total: null` expects nothing. The parts of
 * the tax (`components`) only say whether local taxes are expected. Other fields of the case, such as its source, are
 * ignored. A check cannot calculate a case with other fields in `input` or its lines.
 */
export const WorkedCase = z.looseObject({
  id: z.string().check(z.minLength(1)),
  title: z.optional(z.string()),
  country: z.nullish(z.string()),
  state: z.nullish(z.string().check(z.refine((text) => text === '' || stateCode(text) !== null, stateAdvice))),
  locality: z.nullish(z.string()),
  zip: z.nullish(z.string().check(z.regex(/^\d{5}(-?\d{4})?$/, 'Use a ZIP code of five digits, or ZIP+4.'))),
  date: z.nullish(day),
  input: z.looseObject({ lines: z.optional(z.array(CaseLine)) }),
  expected: z.looseObject({
    tax_total: z.nullish(decimalString),
    components: z.optional(z.array(z.looseObject({ level: z.optional(z.string()) }))),
  }),
});
export type WorkedCase = z.infer<typeof WorkedCase>;

/** A case with another shape, and the problems of its fields. */
export type UnreadableCase = { readonly id: string; readonly state: string | null; readonly problem: string };

export const isUnreadable = (worked: WorkedCase | UnreadableCase): worked is UnreadableCase => !('expected' in worked);

const fieldOf = (value: unknown, field: string): string | null => {
  const found = asObject(value)?.[field];
  return typeof found === 'string' && found !== '' ? found : null;
};

const readCase = (value: unknown, index: number): WorkedCase | UnreadableCase => {
  const { success, data, error } = WorkedCase.safeParse(value);
  if (success) return data;
  return {
    id: fieldOf(value, 'id') ?? `case ${index + 1}`,
    state: fieldOf(value, 'state'),
    problem: error.issues.map(({ path, message }) => `${path.join('.') || 'the case'}: ${message}`).join(' '),
  };
};

/** Read a file of worked cases. Refuses a file that has no list of cases. */
export const readCases = (text: string): readonly (WorkedCase | UnreadableCase)[] => {
  const read = jsonOrRefuse(text, 'The cases are');
  const list = Array.isArray(read) ? read : asObject(read)?.['cases'];
  if (!Array.isArray(list) || list.length === 0)
    throw new CommandError('The cases cannot be read: expected an array of cases, or an object with them as "cases".');
  return list.map(readCase);
};
