import type { Emulator } from './emulator.ts';
import type { LocalSettings } from './settings.ts';

const sale = {
  line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
  customer: { address: { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' } },
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curlLine = (url: string, apiKey: string): string =>
  [
    `curl -sS ${url}/calculations`,
    `-H ${quoted(`X-API-Key: ${apiKey}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(sale))}`,
  ].join(' ');

const databaseLine = ({ kind, endpoint }: Emulator, dataDirectory: string | null): string => {
  if (kind === 'given') return `Database  ${endpoint} (yours)`;
  return `Database  ${endpoint} (${kind}, ${dataDirectory ? `kept in ${dataDirectory}` : 'in memory'})`;
};

/** The text that `npm start` prints when it is ready. */
export const greeting = (url: string, apiKey: string, emulator: Emulator, { dataDirectory }: LocalSettings): string =>
  [
    `Levy      ${url}`,
    `Docs      ${url}/docs`,
    databaseLine(emulator, dataDirectory),
    // DynamoDB Local has no option for it.
    ...(emulator.kind === 'amazon'
      ? ['          DynamoDB Local listens on every network interface, not only on loopback.']
      : []),
    `Demo key  ${apiKey}`,
    '',
    'Try it (the answer has "tax_amount":"8.88"):',
    curlLine(url, apiKey),
    '',
  ].join('\n');
