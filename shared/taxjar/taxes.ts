import { listRegistrations, type Registration, type Settings } from '../accounts/account.ts';
import type { Calculation } from '../calculations/response.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { taxOf } from './calculation.ts';
import {
  amountAt,
  type Fields,
  fieldsOf,
  general,
  linesOf,
  listAt,
  requiredAmount,
  requiredAt,
  termsOf,
  textAt,
  unknownCodes,
} from './document.ts';
import { missing } from './refusal.ts';
import { type Answer, codesOf, type Request } from './request.ts';

/** The tax of an order that is not recorded. */

/** The registrations that addresses of a request replace, or the account's; `null` if it collects everywhere. */
const registrationsOf = (fields: Fields, settings: Settings): readonly Registration[] | null =>
  listAt(fields, 'nexus_addresses', (address) => ({
    ...{ state: requiredAt(address, 'state'), from: '1900-01-01', to: null, frequency: 'month' as const },
  })) ?? listRegistrations(settings);

export const collectsIn = (registrations: readonly Registration[] | null, state: string | null, day: string): boolean =>
  registrations === null ||
  registrations.some(
    (one) =>
      state !== null &&
      stateJurisdiction(one.state) === stateJurisdiction(state) &&
      one.from <= day &&
      day <= (one.to ?? '9999'),
  );

export const calculate = async ({ levy, body, settings, today, note }: Request): Promise<Answer> => {
  const fields = fieldsOf(body);
  const terms = termsOf(fields);
  const shipping = requiredAmount(fields, 'shipping');
  const lines = linesOf(fields);
  const amount = amountAt(fields, 'amount');
  if (!lines && amount === null) throw missing('amount or line_items');
  const registrations = registrationsOf(fields, settings);
  const document = {
    ...terms,
    shipping: /[1-9]/.test(shipping) ? { amount: shipping } : null,
    line_items: lines ?? [{ id: '1', quantity: '1', unit_price: amount, product_tax_code: general }],
  };
  const calculated = (await levy.post('/calculations', document, {
    settings: { registrations: registrations === null ? settings.registrations : [...registrations] },
  })) as Calculation;
  const unknown = unknownCodes(fields);
  note([...codesOf(calculated), ...(unknown.length > 0 ? ['product_tax_code_missing'] : [])]);
  const state = textAt(fields, 'to_state');
  const answer = taxOf(calculated, {
    hasNexus: collectsIn(registrations, state, today),
    country: requiredAt(fields, 'to_country').toUpperCase(),
    state: state?.toUpperCase() ?? null,
    exemptionType: textAt(fields, 'exemption_type'),
  });
  return { body: { tax: answer } };
};
