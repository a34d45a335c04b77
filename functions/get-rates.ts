import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { lambdaHandler } from '../shared/http/lambda-handler.ts';
import { RatesQuery } from '../shared/rates/query.ts';
import { findRates } from '../shared/rates/rates.ts';
import { mapResult } from '../shared/result.ts';
import { loadContent } from '../shared/store/content/load-content.ts';
import { contentReads } from '../shared/store/table-access.ts';

export const endpoint = defineEndpoint({
  name: 'get-rates',
  method: 'GET',
  path: '/rates',
  scope: 'read',
  access: { actions: contentReads },
  tag: 'Rates',
  summary: 'Retrieve rates',
  description: [
    'The general rates that tax a sale to an address, each with its source, and their exact sum. It needs no order and stores nothing: show the rate in a cart, or check an address.',
    'Send `postal_code`, or `city` and `state`; a ZIP code with its city and state is best. The rates are for general goods shipped from outside the state. The product can change them: use `POST /calculations`. Any `date` is answered. The policies of the account, `ambiguous_address` and `incomplete_coverage`, hold as in a calculation, and so does `pass_on_general_excise`: the rates of Hawaii are then the highest visible ones. Where the content does not cover the address or the day, `combined_rate` is `null` and a warning says so.',
  ].join('\n\n'),
  query: RatesQuery,
  responses: [{ status: 200, description: 'The rates of the address.', schema: 'Rates' }],
  errors: ['validation_required_field', 'validation_address_unresolvable', 'validation_not_covered'],
  run: async ({ query, caller }) =>
    mapResult(await findRates(query, caller.account.settings, { loadContent, now }), (body) => ({ status: 200, body })),
});

export const handler = lambdaHandler(endpoint);
