import type { Schemas } from '../../shared/client/client.ts';

export type Calculation = Schemas['Calculation'];

/** Why Levy has no tax: it refused the document, or did not answer in time. */
export type NoTaxReason = 'refused' | 'unavailable';
export type Quote =
  | {
      readonly ok: true;
      readonly calculation: Calculation;
      /** Why the tax can be incomplete: the messages of Levy's warnings that a shop's staff should read. */
      readonly warnings: readonly string[];
      /** Whether Levy has the rates and rules of the address. Without them, the tax is zero. */
      readonly isCovered: boolean;
    }
  | { readonly ok: false; readonly reason: NoTaxReason; readonly detail: string };

/** What a shopper reads when the shop does not go on without a tax of Levy. */
export const noTaxMessage = (reason: NoTaxReason): string =>
  reason === 'unavailable'
    ? 'The sales tax cannot be calculated at the moment. Try again in a minute.'
    : 'The sales tax cannot be calculated. Check the state and the ZIP code of the shipping address.';

/** The log entry for the warnings of a quote. Log it once for each order. */
export const warningText = (reference: string, messages: readonly string[]): string =>
  `The tax of order ${reference} can be incomplete: ${messages.join(' ')}`;

const loggedCodes: readonly string[] = [
  'not_covered',
  'local_rates_missing',
  'local_rates_approximate',
  'content_approximate',
  'taxability_not_established',
  'registrations_missing',
];

/** The quote of a calculation. */
export const quoteOf = (calculation: Calculation): Quote => {
  const warnings = calculation.warnings.filter(({ code }) => loggedCodes.includes(code));
  return {
    ok: true,
    calculation,
    warnings: [...new Set(warnings.map(({ message }) => message))],
    isCovered: !warnings.some(({ code }) => code === 'not_covered'),
  };
};
