/** Requests of the TaxJar-compatible API, sent by TaxJar's own client for Node. */
import Taxjar from 'taxjar';
import { type Caller, newCaller, startApi } from './api.ts';
import { made } from './sales.ts';

type Refused = { readonly status: number; readonly error: string; readonly detail: string };
const amountFields = ['amount', 'shipping', 'sales_tax', 'unit_price', 'discount'];

/** Converts the amounts of orders and refunds, which TaxJar returns as strings, to the numbers of the client's types. */
export const withNumbers = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (name, text) =>
    amountFields.includes(name) && typeof text === 'string' ? Number(text) : text,
  );

/** Returns a client whose amounts are numbers, as in its types. */
export const connectClient = (url: string, { key }: Pick<Caller, 'key'>) =>
  new Proxy(new Taxjar({ apiKey: key, apiUrl: `${url}/taxjar` }), {
    get:
      (client, name) =>
      async (...sent: unknown[]) =>
        withNumbers(await (client[name as 'createOrder'] as (...sent: unknown[]) => Promise<unknown>)(...sent)),
  });

export const newClient = async (settings: object = {}) => {
  const { url } = await startApi();
  const caller = await newCaller({ settings });
  const client = connectClient(url, caller);
  /** Creates `order` with these fields. */
  const createOrder = async (fields: object = {}) => (await client.createOrder({ ...order, ...fields })).order;
  const refundOrder = async (...sent: Parameters<typeof buildRefund>) =>
    (await client.createRefund(buildRefund(...sent))).refund;
  return { caller, client, createOrder, refundOrder };
};

/** Returns the status, the error and the detail of a refused call. */
export const refusal = async (call: Promise<unknown>): Promise<string> => {
  const { status, error, detail } = (await call.then(
    () => ({ status: 200, error: '', detail: '' }),
    (thrown: Refused) => thrown,
  )) as Refused;
  return `${status} ${error}: ${detail}`;
};

/** Sends a request as its JSON text. Returns the text and the body of the response, and Levy's warnings. */
export const sendRaw = async (
  { key }: Pick<Caller, 'key'>,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object | string,
  more: Readonly<Record<string, string>> = {},
) => {
  const { url } = await startApi();
  const headers = { Authorization: `Bearer ${key}`, ...more };
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const received = await fetch(`${url}/taxjar/v2/transactions/${path}`, {
    method,
    headers,
    ...(sent && { body: sent }),
  });
  const text = await received.text();
  const warnings = received.headers.get('Levy-Warnings');
  return { status: received.status, text, response: JSON.parse(text), warnings };
};

const newYork = { address: { postal_code: '10001', state: 'NY', country: 'US' } };
/** Records a finalized transaction of 2026-10-14 in New York with Levy's own API. */
export const record = ({ call }: Pick<Caller, 'call'>, reference_id: string | null, others: object) => {
  const sent = { status: 'finalized', reference_id, tax_date: '2026-10-14', customer: newYork };
  return made(call('POST', '/transactions', { body: { ...sent, ...others } }));
};

export const to = { to_country: 'US', to_zip: '10001', to_state: 'NY', to_city: 'New York' };
export const michigan = { to_country: 'US', to_zip: '48226', to_state: 'MI', shipping: 0 };
export const order = {
  ...to,
  transaction_id: '123',
  transaction_date: '2026/10/14',
  amount: 16.5,
  shipping: 1.5,
  sales_tax: 1.46,
};

/** A refund of an order, by ids, with its amount, shipping and tax. */
export const buildRefund = (
  transaction_id: string,
  transaction_reference_id: string,
  amounts: readonly number[],
  more = {},
) => {
  const [amount = 0, shipping = 0, sales_tax = 0] = amounts;
  const sent = { ...order, transaction_date: '2026/10/20', transaction_id, transaction_reference_id };
  return { ...sent, amount, shipping, sales_tax, ...more };
};

export const lines = [{ id: '1', quantity: 1, product_tax_code: '31000', product_identifier: 'sku', unit_price: 15 }];
