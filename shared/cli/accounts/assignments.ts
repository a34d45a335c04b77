/** Settings as an operator names them: `rate_limit=500`. */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Settings } from '../../accounts/account.ts';
import { readAddress } from '../../content/location/address.ts';
import { PostalAddress } from '../../content/location/postal-address.ts';
import { problemIn, type Reading } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { registrationsFrom } from './registrations.ts';

// What a request may misspell without harm would be stored here for good.
const Address = z.strictObject(PostalAddress.shape, 'Send an object.');

/** Where an account's goods are sent from, where a request does not say it; `null` is nowhere known. */
export const shipFromFrom = (value: unknown): Reading<PostalAddress | null> => {
  if (value === null) return { value };
  const { success, data, error } = Address.safeParse(value);
  if (!success) return { send: `null or an address of line1, city, state, postal_code, country (${problemIn(error)})` };
  const address = readAddress(data, '');
  if (address.ok) return { value: data };
  return { send: `an address that can be located: ${address.problems.map(({ detail }) => detail).join(' ')}` };
};

export type Assignable = Omit<Settings, 'service_version'>;

type Readers = { readonly [Field in keyof Assignable]: (text: string) => Reading<Assignable[Field]> };

const wholeNumber =
  (low: number, high: number) =>
  (text: string): Reading<number> => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    const isWithin = value >= low && value <= high;
    return isWithin ? { value } : { send: `a whole number from ${low} to ${high.toLocaleString('en-US')}` };
  };

const oneOf =
  <Value extends string>(...values: readonly Value[]) =>
  (text: string): Reading<Value> => {
    const value = values.find((one) => one === text);
    return value === undefined ? { send: `one of ${values.join(', ')}` } : { value };
  };

const trueOrFalse = (text: string): Reading<boolean> => {
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return { send: 'true or false' };
};

// A value that a shell would mangle can come from a file.
const contentOf = (text: string): string => (text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);

const json =
  <Value>(read: (value: unknown) => Reading<Value>, example: string) =>
  (text: string): Reading<Value> => {
    let value: unknown;
    try {
      value = JSON.parse(contentOf(text));
    } catch (error) {
      if (error instanceof SyntaxError) return { send: `JSON such as ${example}, or @ and the name of a file with it` };
      throw error;
    }
    return read(value);
  };

const readers: Readers = {
  rate_limit: wholeNumber(0, 1_000_000),
  draft_ttl_hours: wholeNumber(1, 8760),
  rounding: oneOf('line', 'invoice'),
  ambiguous_address: oneOf('warn', 'reject', 'highest_rate'),
  incomplete_coverage: oneOf('warn', 'reject'),
  registrations: json(registrationsFrom, '[{"state":"MI","from":"2026-01-01","to":null,"frequency":"month"}]'),
  ship_from: json(shipFromFrom, '{"state":"MI","postal_code":"48226"}'),
  pass_on_general_excise: trueOrFalse,
};

/** What the settings are, for `--help`. */
export const fieldsHelp = `Settings:
  rate_limit=2000               requests in ten seconds; 0 lets none pass
  draft_ttl_hours=24            how long a draft lives
  rounding=line                 or invoice
  ambiguous_address=warn        or reject, highest_rate
  incomplete_coverage=warn      or reject
  registrations=null            where tax is collected, as a JSON array; null is everywhere
  ship_from=null                where goods are sent from, as a JSON address
  pass_on_general_excise=false  or true: charge Hawaii's highest visible rate (4.7120 %)
  JSON may come from a file: registrations=@registrations.json`;

const isField = (name: string): name is keyof Assignable => Object.hasOwn(readers, name);

const unknownField = (name: string): CommandError =>
  new CommandError(
    name === 'service_version'
      ? 'service_version fixes the shapes that the account is answered with. Change it with `settings --service-version`.'
      : `There is no setting "${name}". The settings are ${Object.keys(readers).join(', ')}.`,
  );

/** Read `setting=value`s, each named once. Refused is an unknown name and a wrong value, with what to send. */
export const assignmentsFrom = (texts: readonly string[]): Partial<Assignable> => {
  const read: Record<string, unknown> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 0) throw new CommandError(`"${text}" is no setting with a value. Send one as rate_limit=500.`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (!isField(name)) throw unknownField(name);
    if (Object.hasOwn(read, name)) throw new CommandError(`${name} comes twice. Send it once.`);
    const reading = readers[name](value);
    if ('send' in reading)
      throw new CommandError(`${name} cannot be ${value || 'empty'}. Send ${reading.send.replace(/\.$/, '')}.`);
    read[name] = reading.value;
  }
  return read;
};
