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

const readCustomer = async (levy: Levy, id: string): Promise<Customer | null> => {
  const found = await nullIfRefused(levy.get<Customer>(`/customers/${encodeURIComponent(id)}`), 404);
  return found && !isDeleted(found) ? found : null;
};

const requireCustomer = async (levy: Levy, id: string): Promise<Customer> => {
  const found = await readCustomer(levy, id);
  if (!found) throw notFound(`The customer ${id}`);
  return found;
};

const changeCustomer = (levy: Levy, id: string, change: object) =>
  levy.post<Customer>(`/customers/${encodeURIComponent(id)}`, change);

const createCustomer = async ({ levy, body }: Request): Promise<TaxJarResponse> => {
  const fields = requireObject(body);
  const id = requiredAt(fields, 'customer_id');
  const request = customerRequest(fields);
  if (await readCustomer(levy, id))
    throw new TaxJarRefusal(422, `The customer ${id} already exists. Send PUT to change it.`);
  try {
    return { status: 201, body: toCustomer(await levy.post<Customer>('/customers', { id, ...request })) };
  } catch (error) {
    // A deleted customer keeps its id.
    if (!(error instanceof TaxJarRefusal) || error.status !== 422) throw error;
    return { status: 201, body: toCustomer(await changeCustomer(levy, id, request)) };
  }
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
  [
    'PUT',
    path,
    async ({ levy, body, at: [id = ''] }) => {
      const { customer: known } = toCustomer(await requireCustomer(levy, id));
      const before = customerRequest({ ...known, name: known.name ?? id });
      const request = customerRequest({ ...known, ...changedFields(body) });
      // Certificates can have numbers and dates, which TaxJar does not have.
      const isSame = isDeepStrictEqual(request.exemptions, before.exemptions);
      return { body: toCustomer(await changeCustomer(levy, id, isSame ? { name: request.name } : request)) };
    },
  ],
  [
    'DELETE',
    path,
    async ({ levy, at: [customer = ''] }) => {
      const found = await requireCustomer(levy, customer);
      await changeCustomer(levy, customer, { name: null, exemptions: [] });
      return { body: toCustomer(found) };
    },
  ],
];
