import { unpack } from '../packed/unpack.ts';
import { customerRoutes } from './customers.ts';
import { categories, nexusAddresses, rates, regions, summaryRates, validate } from './places.ts';
import { TaxJarRefusal } from './refusal.ts';
import type { Route } from './request.ts';
import { calculate } from './taxes.ts';
import { transactionRoutes } from './transactions.ts';

export const routes: readonly Route[] = [
  ['POST', /^\/v2\/(?:magento\/)?taxes$/, calculate],
  ['GET', /^\/v2\/rates\/([^/]+)$/, rates],
  ['GET', /^\/v2\/categories$/, categories],
  ...transactionRoutes('sale'),
  ...transactionRoutes('credit'),
  ...customerRoutes,
  ['GET', /^\/v2\/nexus\/regions$/, regions],
  ['GET', /^\/v2\/nexus\/addresses$/, nexusAddresses],
  // Plugins check their key with this request. An invalid key was refused before.
  ['POST', /^\/v2\/verify$/, async () => ({ body: { valid: true, enabled: true, plus: true } })],
  ['POST', /^\/v2\/addresses\/validate$/, validate],
  ['GET', /^\/v2\/summary_rates$/, summaryRates],
  ['GET', /^\/v2\/openapi\.json$/, async () => ({ body: unpack<object>('taxjar-openapi') })],
  [
    'GET',
    /^\/v2\/validation$/,
    async () => {
      throw new TaxJarRefusal(
        404,
        'Levy does not validate VAT numbers. Use the VIES service of the European Commission.',
      );
    },
  ],
];
