import { listRegistrations, type Registration, type Settings } from '../accounts/account.ts';
import { addDays } from '../base/calendar.ts';
import type { Replaces } from '../ledger/create-transaction.ts';
import { catalog } from '../vocabulary/catalog.ts';
import { stateJurisdiction, stateJurisdictions, stateName, stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import { type Calculated, taxOf } from './calculation.ts';
import {
  amountAt,
  dateOf,
  exemptionReasons,
  type Fields,
  fieldsOf,
  general,
  linesOf,
  requiredAmount,
  requiredAt,
  termsOf,
  textAt,
  unknownCodes,
} from './document.ts';
import { decimal, type Json, parseJson } from './numbers.ts';
import { openApi } from './openapi.ts';
import { creditOf, differences, isSameOrder, type Left, linesAddUp, orderOf, type Recorded, saleOf } from './orders.ts';
import { missing, notFound, TaxJarRefusal } from './refusal.ts';

type Query = Readonly<Record<string, string>>;

/** Calls an operation of Levy's API in this process, as the caller of the request. Throws its refusals. */
export type Levy = {
  readonly get: (path: string, query?: Query) => Promise<unknown>;
  readonly post: (
    path: string,
    body: object,
    options?: { readonly headers?: Query; readonly settings?: Partial<Settings>; readonly replaces?: Replaces },
  ) => Promise<unknown>;
  /** Returns the id of the transaction that has a reference now. The lists of the API can lag by seconds. */
  readonly holderOf: (reference: string) => Promise<string | null>;
};

export type Request = {
  readonly levy: Levy;
  readonly settings: Settings;
  /** The account's day, `YYYY-MM-DD`. */
  readonly today: string;
  readonly remainingMs: () => number;
  readonly query: Query;
  readonly body: Json;
  /** Values of the path's parameters, decoded. */
  readonly at: readonly string[];
  /** Notes warnings of Levy, which the response lists in a header. */
  readonly note: (codes: readonly string[]) => void;
};

type Answer = { readonly status?: number; readonly body: object };
type Route = readonly [method: string, path: RegExp, run: (request: Request) => Promise<Answer>];

type Warned = { readonly warnings?: readonly { readonly code: string }[] };
const codesOf = ({ warnings = [] }: Warned): string[] => warnings.map(({ code }) => code);

/** The registrations that addresses of a request replace, or the account's; `null` if it collects everywhere. */
const registrationsOf = (fields: Fields, settings: Settings): readonly Registration[] | null => {
  const sent = fields['nexus_addresses'] ?? null;
  if (sent === null || (Array.isArray(sent) && sent.length === 0)) return listRegistrations(settings);
  if (!Array.isArray(sent)) throw new TaxJarRefusal(406, 'nexus_addresses is not a list.');
  return sent.map((address) => ({
    ...{ state: requiredAt(fieldsOf(address as Json), 'state'), from: '1900-01-01', to: null },
    frequency: 'month' as const,
  }));
};

const collectsIn = (registrations: readonly Registration[] | null, state: string | null, day: string): boolean =>
  registrations === null ||
  registrations.some(
    (one) =>
      state !== null &&
      stateJurisdiction(one.state) === stateJurisdiction(state) &&
      one.from <= day &&
      day <= (one.to ?? '9999'),
  );

const calculate = async ({ levy, body, settings, today, note }: Request): Promise<Answer> => {
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
  })) as Calculated & Warned;
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

type Rates = Warned & {
  readonly address: { readonly city: string | null; readonly state: string | null };
  readonly combined_rate: string;
  readonly jurisdictions: readonly {
    readonly jurisdiction_name: string;
    readonly jurisdiction_type: string;
    readonly rate: string;
  }[];
  readonly shipping?: unknown;
};

const scaled = (rate: string): bigint =>
  BigInt(`${rate.split('.')[0]}${(rate.split('.')[1] ?? '').padEnd(6, '0').slice(0, 6)}`);
const rateOf = (rates: Rates['jurisdictions'], type: string): string => {
  const total = rates.filter((one) => one.jurisdiction_type === type).reduce((sum, { rate }) => sum + scaled(rate), 0n);
  const text = String(total).padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/0{1,5}$/, '');
};

const places = { country: 'country', state: 'state', city: 'city', street: 'line1' } as const;

const readRates = async ({ levy, note }: Request, zip: string, fields: Query): Promise<Rates> => {
  const query = Object.fromEntries(
    Object.entries(places).flatMap(([name, own]) => (fields[name] ? [[own, fields[name]] as const] : [])),
  );
  const rates = (await levy.get('/rates', { ...query, postal_code: zip })) as Rates;
  note(codesOf(rates));
  return rates;
};

const rates = async (request: Request): Promise<Answer> => {
  const zip = request.at[0] ?? '';
  const found = await readRates(request, zip, request.query);
  const { jurisdictions } = found;
  const nameOf = (type: string) =>
    jurisdictions.find(({ jurisdiction_type }) => jurisdiction_type === type)?.jurisdiction_name.toUpperCase() ?? null;
  return {
    body: {
      rate: {
        ...{ zip, country: 'US', country_rate: '0.0' },
        ...{ state: found.address.state, state_rate: rateOf(jurisdictions, 'state') },
        ...{ county: nameOf('county'), county_rate: rateOf(jurisdictions, 'county') },
        ...{
          city: nameOf('city') ?? found.address.city?.toUpperCase() ?? null,
          city_rate: rateOf(jurisdictions, 'city'),
        },
        combined_district_rate: rateOf(jurisdictions, 'district'),
        combined_rate: found.combined_rate,
        // The rule depends on the goods: POST /taxes answers it.
        freight_taxable: null,
      },
    },
  };
};

const categories = async (): Promise<Answer> => ({
  body: {
    categories: catalog().flatMap(({ name, description, equivalents }) =>
      equivalents
        .filter(({ system }) => system === 'taxjar')
        .map(({ code }) => ({ product_tax_code: code, name, description })),
    ),
  },
});

type Kind = 'sale' | 'credit';
type Listed = Warned & { readonly data: readonly Recorded[]; readonly next_cursor: string | null };
const names = { sale: 'order', credit: 'refund' } as const;

/** Returns the recorded transaction with a reference, or `null`. */
const find = async (levy: Levy, kind: Kind, reference: string): Promise<Recorded | null> => {
  const holder = await levy.holderOf(reference);
  const found = holder === null ? null : ((await levy.get(`/transactions/${holder}`)) as Recorded);
  if (found?.type === kind && (found.status === 'finalized' || found.status === 'filed')) return found;
  // It may have been replaced since its id was read.
  const isReplaced = found?.status === 'void' && (await levy.holderOf(reference)) !== holder;
  return isReplaced ? find(levy, kind, reference) : null;
};

const requireRecorded = async (levy: Levy, kind: Kind, reference: string): Promise<Recorded> => {
  const found = await find(levy, kind, reference);
  if (!found) throw notFound(`The ${names[kind]} ${reference}`);
  return found;
};

const answerOf = (kind: Kind, recorded: Recorded, status = 200): Answer => ({
  status,
  body: { [names[kind]]: orderOf(recorded) },
});

/** Returns what credits have left of an order; if that is nothing, its line items. */
const readLeft = async (levy: Levy, order: Recorded): Promise<Left> => {
  const all = { type: 'credit', parent_transaction_id: order.id, credit_remaining: true };
  try {
    return (await levy.post('/calculations', all)) as Left;
  } catch (error) {
    if (error instanceof TaxJarRefusal && error.status === 422) return { ...order, shipping: null };
    throw error;
  }
};

/** Returns the request that records an order or a refund. */
const requestOf = async (kind: Kind, fields: Fields, levy: Levy, isWide = false) => {
  if (kind === 'sale') return saleOf(fields);
  const order = await find(levy, 'sale', requiredAt(fields, 'transaction_reference_id'));
  const isRead = order && (isWide || !linesOf(fields));
  return creditOf(fields, order, isRead ? await readLeft(levy, order) : { line_items: [], shipping: null }, isWide);
};

/** Records an order or a refund. Notes amounts of the request that differ from the recorded ones. */
const record = async (
  kind: Kind,
  fields: Fields,
  request: object,
  { levy, note, replaces }: Pick<Request, 'levy' | 'note'> & { readonly replaces?: Replaces },
): Promise<Recorded> => {
  const options = replaces ? { replaces } : {};
  const post = async (body: object) => (await levy.post('/transactions', body, options)) as Recorded & Warned;
  const created = await post(request).catch(async (error: unknown) => {
    const isTax = error instanceof TaxJarRefusal && error.status === 422 && error.message.startsWith('sales_tax');
    if (!isTax || kind === 'sale') throw error;
    return post(await requestOf(kind, fields, levy, true));
  });
  const unknown = unknownCodes(fields).length > 0;
  note([...codesOf(created), ...(unknown ? ['product_tax_code_missing'] : []), ...differences(fields, created)]);
  return created;
};

const create =
  (kind: Kind) =>
  async ({ levy, body, note }: Request): Promise<Answer> => {
    const fields = fieldsOf(body);
    const reference = requiredAt(fields, 'transaction_id');
    const repeated = async (): Promise<Recorded | null> => {
      const existing = await find(levy, kind, reference);
      if (!existing || isSameOrder(fields, existing)) return existing;
      throw new TaxJarRefusal(422, `The ${names[kind]} ${reference} exists already. Send PUT to change it.`);
    };
    const request = async () => record(kind, fields, await requestOf(kind, fields, levy), { levy, note });
    const recorded = await repeated();
    if (recorded) return answerOf(kind, recorded, 201);
    try {
      return answerOf(kind, await request(), 201);
    } catch (error) {
      // The same request may have been recorded at the same time.
      const concurrent = error instanceof TaxJarRefusal && error.status === 422 ? await repeated() : null;
      if (concurrent) return answerOf(kind, concurrent, 201);
      throw error;
    }
  };

const show =
  (kind: Kind) =>
  async ({ levy, at: [reference = ''] }: Request): Promise<Answer> =>
    answerOf(kind, await requireRecorded(levy, kind, reference));

const replaced = 'Replaced by PUT of the TaxJar interface';
const deleted = 'Deleted by the TaxJar interface';

const voidOf = (levy: Levy, { id, version }: Recorded, reason: string) =>
  levy.post(
    `/transactions/${id}`,
    { status: 'void', void_reason: reason },
    { headers: { 'if-match': `"${version}"` } },
  );

/** Returns a recorded transaction as fields of a request, with numbers as text. */
const sentFields = (recorded: Recorded): Fields => fieldsOf(parseJson(JSON.stringify(orderOf(recorded))));

/**
 * Returns the recorded fields with the changes. If the amounts change without line items, the recorded line items no
 * longer add up, and are left out.
 */
const merged = (known: Fields, change: Fields, recorded: Recorded): Fields => {
  const fields = { ...known, ...change };
  return change['line_items'] || linesAddUp(fields, recorded) ? fields : { ...fields, line_items: null };
};

/** Records the changed order or refund in place of the recorded one, in one step. */
const update =
  (kind: Kind) =>
  async ({ levy, body, note, at: [reference = ''] }: Request): Promise<Answer> => {
    const current = await requireRecorded(levy, kind, reference);
    const fields = merged(sentFields(current), { ...fieldsOf(body), transaction_id: reference }, current);
    const request = await requestOf(kind, fields, levy);
    const replaces = { id: current.id, reason: replaced };
    return answerOf(kind, await record(kind, fields, request, { levy, note, replaces }));
  };

const remove =
  (kind: Kind) =>
  async ({ levy, at: [reference = ''] }: Request): Promise<Answer> => {
    const found = await requireRecorded(levy, kind, reference);
    await voidOf(levy, found, deleted);
    return answerOf(kind, found);
  };

const list =
  (kind: Kind) =>
  async ({ levy, query, remainingMs }: Request): Promise<Answer> => {
    const { transaction_date: day, from_transaction_date: from = day, to_transaction_date: to = day, provider } = query;
    const filters = {
      ...{ type: kind, limit: '100' },
      ...(from && { 'tax_date[gte]': dateOf(from) }),
      ...(to && { 'tax_date[lt]': addDays(dateOf(to).slice(0, 10), 1) }),
    };
    const ids: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor; first = false) {
      if (remainingMs() < 3000)
        throw new TaxJarRefusal(
          406,
          'The list is too long. Send from_transaction_date and to_transaction_date of fewer days.',
        );
      const page = (await levy.get('/transactions', {
        ...filters,
        ...(cursor && { starting_after: cursor }),
      })) as Listed;
      for (const { reference_id, status, metadata } of page.data)
        if (reference_id !== null && (status === 'finalized' || status === 'filed'))
          if (!provider || (metadata['taxjar_provider'] ?? 'api') === provider) ids.push(reference_id);
      cursor = page.next_cursor;
    }
    return { body: { [`${names[kind]}s`]: ids } };
  };

type Certificate = { readonly states: readonly string[] | null; readonly reason: string };
type Customer = {
  readonly id: string;
  readonly name: string | null;
  readonly version: number;
  readonly exemptions: readonly Certificate[];
};

const typeOf = (reason: string): string =>
  Object.entries(exemptionReasons).find(([, own]) => own === reason)?.[0] ?? 'other';

const customerOf = ({ id, name, exemptions }: Customer) => ({
  customer: {
    customer_id: id,
    exemption_type: exemptions[0] ? typeOf(exemptions[0].reason) : 'non_exempt',
    exempt_regions: exemptions.flatMap(({ states }) =>
      (states ?? []).map((state) => ({ country: 'US', state: state.replace(/^US-/, '') })),
    ),
    name,
    ...{ country: null, state: null, zip: null, city: null, street: null },
  },
});

const customerRequest = (fields: Fields) => {
  const type = requiredAt(fields, 'exemption_type');
  if (type !== 'non_exempt' && !Object.hasOwn(exemptionReasons, type))
    throw new TaxJarRefusal(406, `exemption_type is ${type}. Send wholesale, government, other or non_exempt.`);
  const regions = fields['exempt_regions'] ?? [];
  if (!Array.isArray(regions)) throw new TaxJarRefusal(406, 'exempt_regions is not a list.');
  const states = regions.map((region) => requiredAt(fieldsOf(region as Json), 'state'));
  return {
    name: requiredAt(fields, 'name'),
    exemptions:
      type === 'non_exempt'
        ? []
        : [
            {
              reason: exemptionReasons[type as keyof typeof exemptionReasons],
              states: states.length > 0 ? states : null,
            },
          ],
  };
};

/** A customer without a name and certificates was deleted: Levy keeps the id, which transactions refer to. */
const isDeleted = ({ name, exemptions }: Customer): boolean => name === null && exemptions.length === 0;

const readCustomer = async (levy: Levy, id: string): Promise<Customer | null> => {
  try {
    const found = (await levy.get(`/customers/${encodeURIComponent(id)}`)) as Customer;
    return isDeleted(found) ? null : found;
  } catch (error) {
    if (error instanceof TaxJarRefusal && error.status === 404) return null;
    throw error;
  }
};

const requireCustomer = async (levy: Levy, id: string): Promise<Customer> => {
  const found = await readCustomer(levy, id);
  if (!found) throw notFound(`The customer ${id}`);
  return found;
};

const changeCustomer = async (levy: Levy, id: string, change: object): Promise<Customer> =>
  (await levy.post(`/customers/${encodeURIComponent(id)}`, change)) as Customer;

const createCustomer = async ({ levy, body }: Request): Promise<Answer> => {
  const fields = fieldsOf(body);
  const id = requiredAt(fields, 'customer_id');
  const request = customerRequest(fields);
  if (await readCustomer(levy, id))
    throw new TaxJarRefusal(422, `The customer ${id} exists already. Send PUT to change it.`);
  try {
    return { status: 201, body: customerOf((await levy.post('/customers', { id, ...request })) as Customer) };
  } catch (error) {
    // A deleted customer keeps its id.
    if (!(error instanceof TaxJarRefusal) || error.status !== 422) throw error;
    return { status: 201, body: customerOf(await changeCustomer(levy, id, request)) };
  }
};

const listCustomers = async ({ levy, remainingMs }: Request): Promise<Answer> => {
  const ids: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    if (remainingMs() < 3000) throw new TaxJarRefusal(406, 'The account has too many customers for one list.');
    const query = { limit: '100', ...(cursor && { starting_after: cursor }) };
    const page = (await levy.get('/customers', query)) as { data: readonly Customer[]; next_cursor: string | null };
    ids.push(...page.data.filter((customer) => !isDeleted(customer)).map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return { body: { customers: ids } };
};

const regions = async ({ settings, today }: Request): Promise<Answer> => {
  const registrations = listRegistrations(settings);
  const states = stateJurisdictions.map(stateOfJurisdiction).filter((state) => collectsIn(registrations, state, today));
  return {
    body: {
      regions: states.map((state) => ({
        ...{ country_code: 'US', country: 'United States', region_code: state, region: stateName(state) },
      })),
    },
  };
};

const validate = async (request: Request): Promise<Answer> => {
  const fields = fieldsOf(request.body);
  const country = (textAt(fields, 'country') ?? 'US').toUpperCase();
  if (country !== 'US') throw new TaxJarRefusal(406, `country is ${country}. Levy knows addresses in the US only.`);
  const [zip, state, city, street] = ['zip', 'state', 'city', 'street'].map((name) => textAt(fields, name));
  if (!zip || !state) throw missing(zip ? 'state' : 'zip');
  const found = await readRates(request, zip, { country, state, ...(city && { city }), ...(street && { street }) });
  const doubts = ['postal_code_unknown', 'address_contradictory'];
  if (codesOf(found).some((code) => doubts.includes(code))) throw notFound('The address');
  return { body: { addresses: [{ zip, street: street ?? null, state, country, city: city ?? null }] } };
};

type Coverage = {
  readonly states: readonly {
    readonly state: string;
    readonly name: string;
    readonly general_rate: { readonly rate: string } | null;
  }[];
};

const summaryRates = async ({ levy }: Request): Promise<Answer> => {
  const { states } = (await levy.get('/coverage')) as Coverage;
  return {
    body: {
      summary_rates: states.flatMap(({ state, name, general_rate }) =>
        general_rate === null
          ? []
          : [
              {
                ...{ country_code: 'US', country: 'United States', region_code: state, region: name },
                minimum_rate: { label: 'State Tax', rate: decimal(general_rate.rate) },
                // Levy does not know an average: it has no weights of the places.
                average_rate: { label: 'Tax', rate: null },
              },
            ],
      ),
    },
  };
};

// Clients do not encode ids.
const id = '(.+)';
const transactionRoutes = (kind: Kind): readonly Route[] => {
  const base = `/v2/transactions/${names[kind]}s`;
  return [
    ['GET', new RegExp(`^${base}$`), list(kind)],
    ['POST', new RegExp(`^${base}$`), create(kind)],
    ['GET', new RegExp(`^${base}/${id}$`), show(kind)],
    ['PUT', new RegExp(`^${base}/${id}$`), update(kind)],
    ['DELETE', new RegExp(`^${base}/${id}$`), remove(kind)],
  ];
};

export const routes: readonly Route[] = [
  ['POST', /^\/v2\/taxes$/, calculate],
  ['GET', /^\/v2\/rates\/([^/]+)$/, rates],
  ['GET', /^\/v2\/categories$/, categories],
  ...transactionRoutes('sale'),
  ...transactionRoutes('credit'),
  ['GET', /^\/v2\/customers$/, listCustomers],
  ['POST', /^\/v2\/customers$/, createCustomer],
  [
    'GET',
    /^\/v2\/customers\/([^/]+)$/,
    async ({ levy, at: [customer = ''] }) => ({ body: customerOf(await requireCustomer(levy, customer)) }),
  ],
  [
    'PUT',
    /^\/v2\/customers\/([^/]+)$/,
    async ({ levy, body, at: [customer = ''] }) => {
      const request = customerRequest(fieldsOf(body));
      await requireCustomer(levy, customer);
      return { body: customerOf(await changeCustomer(levy, customer, request)) };
    },
  ],
  [
    'DELETE',
    /^\/v2\/customers\/([^/]+)$/,
    async ({ levy, at: [customer = ''] }) => {
      const found = await requireCustomer(levy, customer);
      await changeCustomer(levy, customer, { name: null, exemptions: [] });
      return { body: customerOf(found) };
    },
  ],
  ['GET', /^\/v2\/nexus\/regions$/, regions],
  ['POST', /^\/v2\/addresses\/validate$/, validate],
  ['GET', /^\/v2\/summary_rates$/, summaryRates],
  ['GET', /^\/v2\/openapi\.json$/, async () => ({ body: openApi })],
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
