import { isDeepStrictEqual } from 'node:util';
import type { CustomerList } from '../customers/response.ts';
import {
  changedFields,
  exemptionReasons,
  type Fields,
  getExemptionType,
  listStates,
  requiredAt,
  requireObject,
} from './document.ts';
import { notFound, nullIfRefused, TaxJarRefusal } from './refusal.ts';
import { everyRow, type Levy, type Request, type Route, type TaxJarResponse } from './request.ts';

/** The routes of customers. Their exemption is a certificate. */

type Customer = CustomerList['data'][number];

const toCustomer = ({ id, name, exemptions }: Customer) => ({
  customer: {
    customer_id: id,
    exemption_type: exemptions[0] ? getExemptionType(exemptions[0].reason) : 'non_exempt',
    exempt_regions: exemptions.flatMap(({ states }) =>
      (states ?? []).map((state) => ({ country: 'US', state: state.replace(/^US-/, '') })),
    ),
    name,
    country: null,
    state: null,
    zip: null,
    city: null,
    street: null,
  },
});

const customerRequest = (fields: Fields) => {
  const type = requiredAt(fields, 'exemption_type');
  if (type !== 'non_exempt' && !Object.hasOwn(exemptionReasons, type))
    throw new TaxJarRefusal(406, `exemption_type is ${type}. Send wholesale, government, other or non_exempt.`);
  const states = listStates(fields, 'exempt_regions')?.toSorted() ?? null;
  const isTaxed = type === 'non_exempt' || states?.length === 0;
  return {
    name: requiredAt(fields, 'name'),
    exemptions: isTaxed ? [] : [{ reason: exemptionReasons[type as keyof typeof exemptionReasons], states }],
  };
};

/** Whether a customer was deleted: no name or certificates. Levy keeps the id, because transactions refer to it. */
const isDeleted = ({ name, exemptions }: Customer): boolean => name === null && exemptions.length === 0;

/** Returns a customer, also a deleted one; `null` if the id was never used. */
const readStored = (levy: Levy, id: string): Promise<Customer | null> =>
  nullIfRefused(levy.get<Customer>(`/customers/${encodeURIComponent(id)}`), 404);

const requireCustomer = async (levy: Levy, id: string): Promise<Customer> => {
  const found = await readStored(levy, id);
  if (!found || isDeleted(found)) throw notFound(`The customer ${id}`);
  return found;
};

/** Changes a customer unless another request changed it since it was read. */
const changeCustomer = (levy: Levy, { id, version }: Customer, change: object) =>
  levy.post<Customer>(`/customers/${encodeURIComponent(id)}`, change, { headers: { 'if-match': `"${version}"` } });

const createCustomer = async ({ levy, body }: Request): Promise<TaxJarResponse> => {
  const fields = requireObject(body);
  const id = requiredAt(fields, 'customer_id');
  const request = customerRequest(fields);
  const existing = () => new TaxJarRefusal(422, `The customer ${id} already exists. Send PUT to change it.`);
  const found = await readStored(levy, id);
  if (found && !isDeleted(found)) throw existing();
  // A deleted customer keeps its id.
  const stored = found ? changeCustomer(levy, found, request) : levy.post<Customer>('/customers', { id, ...request });
  const created = await nullIfRefused(stored, 422);
  // A concurrent request created the customer.
  if (!created) throw existing();
  return { status: 201, body: toCustomer(created) };
};

const updateCustomer = async ({ levy, body, at: [id = ''] }: Request): Promise<TaxJarResponse> => {
  const found = await requireCustomer(levy, id);
  const { customer: known } = toCustomer(found);
  const before = customerRequest({ ...known, name: known.name ?? id });
  const request = customerRequest({ ...known, ...changedFields(body) });
  // Certificates can have numbers and dates, which TaxJar does not have.
  const isSame = isDeepStrictEqual(request.exemptions, before.exemptions);
  return { body: toCustomer(await changeCustomer(levy, found, isSame ? { name: request.name } : request)) };
};

const listCustomers = async (request: Request): Promise<TaxJarResponse> => {
  const ids: string[] = [];
  const tooLong =
    'The account has too many customers for one list. Send GET /customers of the Levy API, which has pages.';
  for await (const customer of everyRow<Customer>(request, '/customers', {}, tooLong))
    if (!isDeleted(customer)) ids.push(customer.id);
  return { body: { customers: ids } };
};

// Clients do not encode ids.
const path = /^\/v2\/customers\/(.+)$/;

export const customerRoutes: readonly Route[] = [
  ['GET', /^\/v2\/customers$/, listCustomers],
  ['POST', /^\/v2\/customers$/, createCustomer],
  ['GET', path, async ({ levy, at: [customer = ''] }) => ({ body: toCustomer(await requireCustomer(levy, customer)) })],
  ['PUT', path, updateCustomer],
  [
    'DELETE',
    path,
    async ({ levy, at: [customer = ''] }) => {
      const found = await requireCustomer(levy, customer);
      await changeCustomer(levy, found, { name: null, exemptions: [] });
      return { body: toCustomer(found) };
    },
  ],
];
