import { type Documentation, defineEndpoint, type Samples } from '../shared/api/define-endpoint.ts';
import { exampleRatesQuery } from '../shared/api/openapi/sample-requests.ts';
import { now } from '../shared/config/clock.ts';
import { findRates, RatesQuery } from '../shared/rates/rates.ts';
import { Rates } from '../shared/rates/response.ts';
import { loadContent } from '../shared/store/content/load-content.ts';
import { contentReads } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'get-rates',
  method: 'GET',
  path: '/rates',
  scope: 'read',
  access: { actions: contentReads },
  query: RatesQuery,
  respond: ({ query, caller }) => findRates(query, caller.account.settings, { loadContent, now }),
});

const exampleRates = async ({ accepted, account, ports }: Samples) => {
  const day = Date.parse(exampleRatesQuery.date);
  return accepted(await findRates(exampleRatesQuery, account.settings, { ...ports, now: () => day }));
};

export const documentation = (): Documentation => ({
  summary: 'Retrieve rates',
  description: [
    'Returns the general rates for a sale to an address, each with its source, and their exact sum. Use it to show the rate in a cart or to check an address. It stores nothing.',
    'Send `postal_code`, or `city` and `state`; a ZIP code with its city and state is best. The rates are for general goods shipped from outside the state. A product can have different rates: use `POST /calculations` for these. Any `date` is allowed. In Idaho and Mississippi, the local tax is left out if the `ship_from` of the account is in another state. The account settings `ambiguous_address`, `incomplete_coverage`, `remote_seller_elections` and `pass_on_general_excise` apply as in a calculation; with `pass_on_general_excise`, the rates for Hawaii are the maximum visible rates. If the content does not cover the address or the day, `combined_rate` is `null` and the response has a warning.',
  ].join('\n\n'),
  response: { description: 'The rates of the address.', schema: Rates, example: exampleRates },
});
