/** What is recorded, apart from the random shops. Each scenario has accounts of its own, so it can run alone. */
import type { Answer, Recorder, Sent } from './exchanges.ts';
import type { Service } from './service.ts';

export type Context = Recorder & { readonly service: Service };
export type Scenario = (context: Context) => Promise<void>;

export const clientOf = ({ call, poll, settle }: Pick<Context, 'call' | 'poll' | 'settle'>, key: string) => {
  const get = (path: string, sent: Sent = {}) => call('GET', path, { key, ...sent });
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call('POST', path, { key, body, headers });
  const isComplete = ({ body }: Answer) => body.progress.complete;
  return {
    get,
    post,
    create: async (body: unknown, headers = {}) => (await post('/transactions', body, headers)).body,
    update: (id: string, body: unknown, headers = {}) => post(`/transactions/${id}`, body, headers),
    settle: (path: string) => settle(path, { key }),
    /** Every page of a list. */
    pages: async (path: string, sent: Sent = {}) => {
      const join = path.includes('?') ? '&' : '?';
      for (let after = ''; ; ) {
        const { body, headers } = await get(path + after, sent);
        const next = body?.next_cursor ?? /starting_after=([^&>]+)/.exec(headers.get('link') ?? '')?.[1];
        if (!next) return;
        after = `${join}starting_after=${body ? encodeURIComponent(next) : next}`;
      }
    },
    /** Close or change a filing, and wait until nothing is left to do. */
    filed: async (path: string, body: unknown) => {
      const answer = await post(path, body);
      return answer.status === 202 ? (await poll(`/filings/${answer.body.id}`, isComplete, { key })).body : answer.body;
    },
  };
};
export type Client = ReturnType<typeof clientOf>;

const newClient = async (context: Context, ...settings: readonly string[]): Promise<Client> =>
  clientOf(context, (await context.service.createAccount(settings)).key);

export const sale = {
  currency: 'USD',
  tax_date: '2026-10-08',
  customer: {
    id: 'cus_9',
    address: { line1: '100 N Capitol Ave', city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' },
  },
  line_items: [
    {
      id: 'item_1',
      description: 'Running shorts',
      product_tax_code: 'CLOTHING.APPAREL._ATHLETIC',
      quantity: '2',
      unit_price: '50.00',
      discount_amount: '5.00',
    },
  ],
};
const finalized = { ...sale, status: 'finalized' };
const creditOf = (parent: { readonly id: string }, rest: object = {}) => ({
  type: 'credit',
  parent_transaction_id: parent.id,
  status: 'finalized',
  ...rest,
});
const oneOfTwo = { line_items: [{ id: 'item_1', quantity: '1' }] };
export const words = (text: string): string[] => text.trim().split(/\s+/);
const states =
  words(`AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA PR RI SC SD
  TN TX UT VT VA WA WV WI WY`);

/** Pages and descriptions. Their bytes change with every edit of a text, except for openapi.json they are not recorded. */
const documents: Scenario = async ({ call }) => {
  const { headers } = await call('GET', '/openapi.json');
  await call('GET', '/openapi.json', { headers: { 'If-None-Match': headers.get('etag') as string }, isHeadOnly: true });
  for (const path of words(`/docs /console /v1/docs /`)) await call('GET', path, { isHeadOnly: true });
  for (const path of ['/docs', '/console', '/openapi.json'])
    await call('GET', path, { headers: { 'Accept-Encoding': 'gzip, br' }, isHeadOnly: true });
};

const catalog: Scenario = async (context) => {
  const { get, pages } = await newClient(context, 'registrations=all');
  await get('/account');
  for (const path of ['/product-attributes', '/product-tax-codes', '/coverage']) {
    const { headers } = await get(path);
    await get(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
  }
  await pages('/product-attributes?limit=70');
  await get('/product-attributes?ptc=CLOTHING.APPAREL');
  await pages('/product-tax-codes?limit=90&family=FOOD');
  for (const query of words(
    `q=shorts q=vitamin&state=NY state=PA&family=CLOTHING equivalent=txcd_99999999 equivalent=20010 state=US-TX&limit=300`,
  ))
    await get(`/product-tax-codes?${query}`);
  for (const state of ['MI', 'US-NY', 'Colorado']) await get(`/coverage?state=${state}`);
  for (const state of states.slice(0, 12)) await get(`/coverage?state=${state}&expand=releases`);
  const addresses = `postal_code=48933 postal_code=10001&date=2026-10-08 state=MI&city=Lansing state=TX&city=Houston&postal_code=77002
    state=CO&city=Denver&line1=200%20E%20Colfax%20Ave&postal_code=80203 state=HI&city=Honolulu state=WA&city=Seattle&date=2023-01-15 postal_code=99999
    city=Lyon&country=FR state=ZZ county=Cook&state=IL state=AL state=AK&city=Juneau date=2026-13-01`;
  for (const query of [...words(addresses), '']) await get(`/rates?${query}`);
  for (const state of states) await get(`/rates?state=${state}&date=2026-10-08`);
};

const wrongValues = [null, 1, '', 'x', '-1', true, [], {}, [null], '9'.repeat(40), '1.5.5'];

const { customer, line_items } = sale;
const documentFields = `currency tax_date customer ship_from discount_amount discount_applies_to third_party_discount_amount shipping tax_included
  collected_by line_items metadata explain type parent_transaction_id credit_remaining status reference_id tax_amount void_reason`;
const lineFields = `id parent_line_item_id description product_tax_code quantity unit_price discount_amount customer ship_from fulfillment metadata`;
/** Bodies around a changed field: the path, the fields, and what is around them. */
const around: readonly (readonly [path: string, fields: string, of: (changed: object) => object])[] = [
  ['calculations', lineFields, (changed) => ({ ...sale, line_items: [{ ...line_items[0], ...changed }] })],
  [
    'calculations',
    'id amount discount_amount product_tax_code line_item_ids ship_to ship_from',
    (changed) => ({ ...sale, shipping: { amount: '5', ...changed } }),
  ],
  [
    'calculations',
    'line1 city county state postal_code country',
    (changed) => ({ ...sale, customer: { address: { ...customer.address, ...changed } } }),
  ],
  [
    'calculations',
    'type certificate_id regions valid_from valid_to',
    (changed) => ({ ...sale, customer: { ...customer, exemption: { type: 'resale', ...changed } } }),
  ],
  ['customers', 'id name exemptions', (changed) => ({ id: 'c', ...changed })],
  [
    'customers',
    'states reason certificate_number valid_from valid_to type',
    (changed) => ({ id: 'c', exemptions: [{ reason: 'resale', ...changed }] }),
  ],
  [
    'filings',
    'state period_end dry_run totals_starting_after dryRun',
    (changed) => ({ state: 'MI', period_end: '2026-10-31', dry_run: true, ...changed }),
  ],
  [
    'filings/fil_none',
    'status confirmation_number acknowledge_exceptions',
    (changed) => ({ status: 'filed', confirmation_number: 'c', ...changed }),
  ],
  [
    'reconciliations',
    'from to transactions starting_after',
    (changed) => ({ from: '2026-10-01', to: '2026-10-31', transactions: [], ...changed }),
  ],
];

/** Each field with wrong values. */
const bodies: Scenario = async (context) => {
  const { post, create } = await newClient(context, 'registrations=all');
  const draft = await create(sale);
  for (const field of words(documentFields))
    for (const [at, value] of wrongValues.entries()) {
      const path = ['/calculations', '/transactions', `/transactions/${draft.id}`][at % 3] as string;
      await post(path, path.endsWith('s') ? { ...sale, [field]: value } : { [field]: value });
    }
  for (const [path, fields, of] of around)
    for (const field of words(fields)) for (const value of wrongValues) await post(`/${path}`, of({ [field]: value }));
};

/** Requests that are wrong apart from their fields, and each error code that those of other scenarios do not have. */
const refusals: Scenario = async (context) => {
  const { call, service } = context;
  const { id: account, key } = await service.createAccount(['registrations=all']);
  const client = clientOf(context, key);
  const { get, post, create, update } = client;
  const transaction = await create({ ...finalized, reference_id: 'invoice_1' });
  const filing = await client.filed('/filings', { state: 'OH', period_end: '2026-10-31' });
  const get401 = (headers: Readonly<Record<string, string>>) => call('GET', '/product-attributes?limit=1', { headers });
  await get401({});
  for (const value of ['no key of ours', 'levy_short']) await get401({ 'X-API-Key': value });
  await get401({ 'X-API-Key': await service.createKey(account, ['--scopes', 'read', '--expires', '1h']) });
  for (const value of ['Bearer no-token', 'Basic eA==']) await get401({ Authorization: value });
  await get401({ Authorization: 'Bearer x', 'X-API-Key': 'y' });
  const reader = clientOf(context, await service.createKey(account, ['--scopes', 'read', '--expires', 'never']));
  const stranger = await newClient(
    context,
    'registrations=all',
    'incomplete_coverage=reject',
    'ambiguous_address=reject',
  );
  const [tx, fil] = [`/transactions/${transaction.id}`, `/filings/${filing.id}`];
  const paths = `/product-attributes /product-tax-codes /calculations /transactions ${tx} ${tx}/history ${tx}/replay /customers /customers/cus_9 /filings
    ${fil} ${fil}/exceptions /filing-periods /reconciliations /reports/by-state /registrations/advice /account /coverage /rates /openapi.json /docs /console
    /nowhere /transaction`;
  for (const path of words(paths)) {
    const isHeadOnly = path === '/console';
    for (const one of [client, stranger]) await one.get(`${path}?page=2`, { isHeadOnly });
    await call('PUT', path, { key, raw: '{}' });
    await reader.post(path, {});
    await stranger.post(path, { status: 'canceled' });
    await call('POST', path, { key, raw: '{' });
    await call('POST', path, { key, body: sale, headers: { 'Content-Type': 'text/plain' } });
    await get(path, { headers: { 'Service-Version': 'oak.2020-01-01' }, isHeadOnly });
    await call('HEAD', path, { key });
  }
  for (const raw of [
    '',
    'null',
    '[]',
    '"x"',
    '{"a":1,"a":2}',
    '{"line_items":[{"quantity":1}]}',
    '{\n  "a": 1,\n}',
    `"${'a'.repeat(1_100_000)}"`,
  ])
    await call('POST', '/calculations', { key, raw });
  await call('POST', '/calculations', { key, body: sale, headers: { 'Content-Encoding': 'gzip' } });
  await post('/calculations', { ...sale, colour: 'red' }, { Prefer: 'handling=strict' });
  await post(
    '/calculations',
    { ...sale, colour: 'red', line_items: [{ ...sale.line_items[0], qty: 1 }] },
    { Prefer: 'handling=lenient' },
  );
  for (const code of words(
    `UNHEARD_OF CLOTHING.APPAREL._UNHEARD_OF CLOTHING.APPAREL._ENERGY_STAR ENERGY.ELECTRICITY._RESIDENTIAL._COMMERCIAL`,
  ))
    await post('/calculations', { ...sale, line_items: [{ ...sale.line_items[0], product_tax_code: code }] });
  for (const address of [{ state: 'ZZ' }, { city: 'Lyon', country: 'FR' }, { city: 'Springfield' }, { state: 'TX' }])
    await stranger.post('/calculations', { ...sale, customer: { address } });
  for (const path of words(
    `transactions customers filings filing-periods reports/by-state product-tax-codes transactions/${transaction.id}/history`,
  ))
    for (const query of words(`starting_after=no-cursor limit=0 limit=x limit=5000 starting_after=`))
      await get(`/${path}?${query}`);
  await post('/transactions', { ...sale, reference_id: 'invoice_1' });
  await post('/customers', { id: 'cus_9' });
  await post('/customers', { id: 'cus_9', name: 'Another' });
  await update(transaction.id, { status: 'draft' });
  await update(transaction.id, { tax_date: '2026-10-07' });
  await update(transaction.id, { status: 'void' }, { 'If-Match': '"99"' });
  await create(creditOf(await create(sale)));
  await create(creditOf({ id: 'txn_none' }));
  const stale = await create(creditOf(transaction, { status: 'draft', credit_remaining: true }));
  await create(creditOf(transaction, oneOfTwo));
  await create(creditOf(transaction));
  await update(stale.id, { status: 'finalized' });
  await update(transaction.id, { status: 'void' });
  for (const period_end of words(`0001-01-31 9999-12-31 2026-11-30 2026-10-30`))
    await post('/filings', { state: 'MI', period_end });
  await post('/transactions', { ...sale, tax_date: '2022-12-31' });
  await post('/transactions', { ...sale, tax_date: '2027-06-01' });
  const limited = await service.createAccount(['rate_limit=0']);
  await clientOf(context, limited.key).get('/account');
  const expiring = await create({ ...sale, reference_id: 'expiring' });
  await service.setDay('2026-12-17');
  await update(expiring.id, { status: 'finalized' });
  await service.runSchedule('sweep-drafts');
  await get(`/transactions/${expiring.id}?expand=history`);
};

/** The workflows of the specification, with retries. */
const workflows: Scenario = async (context) => {
  const client = await newClient(context, 'registrations=all');
  const { get, post, create, update, filed } = client;
  const retried = async (path: string, body: object, key: string, headers = {}) => {
    for (const sent of [body, body, { ...body, metadata: { other: 'x' } }])
      await post(path, sent, { 'Idempotency-Key': key, ...headers });
  };
  const { body: estimate } = await post('/calculations', { ...sale, explain: true });
  await create({ ...estimate, status: 'finalized', reference_id: 'estimate' });
  const draft = await create({ ...sale, status: 'draft' });
  await retried(`/transactions/${draft.id}`, { status: 'finalized', reference_id: 'draft' }, 'k-2', {
    'If-Match': '"1"',
  });
  await update(draft.id, { metadata: { order: 'A-17', note: null } });
  await get(`/transactions/${draft.id}`);
  for (const update_ of [
    { line_items: [{ ...sale.line_items[0], quantity: '3' }] },
    { currency: 'CAD' },
    { tax_amount: '1.00' },
    { tax_amount: null },
    { customer: null },
    {},
    { status: 'void', void_reason: 'Entered twice' },
  ]) {
    const other = await create({ ...sale, metadata: { a: 'b' } });
    await update(other.id, update_);
    await update(other.id, update_);
    await get(`/transactions/${other.id}?expand=history`);
    await get(`/transactions/${other.id}/history?limit=1`);
  }
  await retried('/transactions', { ...finalized, reference_id: 'retried' }, 'k-1');
  const parent = await create({ ...finalized, shipping: { amount: '7.00' } });
  await post('/calculations', creditOf(parent, oneOfTwo));
  await retried('/transactions', creditOf(parent, oneOfTwo), 'k-3');
  const rest = await create(creditOf(parent, { credit_remaining: true, tax_date: '2026-11-09T12:00:00Z' }));
  await get(`/transactions/${parent.id}`);
  await update(rest.id, { status: 'void' });
  await create({ ...sale, ...creditOf({ id: '' }), parent_transaction_id: undefined });
  for (const { id } of [draft, parent, rest]) await post(`/transactions/${id}/replay`, undefined);
  const certificate = {
    states: ['MI', 'OH'],
    reason: 'resale',
    certificate_number: 'MI-38',
    valid_from: '2025-01-01',
    valid_to: '2027-01-31',
  };
  for (const id of ['cus_42', 'cus_43', 'cus_44'])
    await retried('/customers', { id, name: 'Lakeside', exemptions: [certificate] }, id);
  await post('/transactions', { ...finalized, customer: { ...sale.customer, id: 'cus_42' } });
  await post('/customers/cus_42', { exemptions: [] }, { 'If-Match': '"1"' });
  await post('/customers/cus_42', { exemptions: [] }, { 'If-Match': '"1"' });
  await retried('/customers/cus_43', { name: null }, 'k-4');
  await get('/customers/cus_42');
  await client.pages('/customers?limit=2');
  for (const query of words(`expiring_before=2027-03-01 state=OH state=TX state=OH&expiring_before=2026-12-31`))
    await get(`/customers?${query}`);
  await create({ ...finalized, tax_amount: '9.99' });
  await create({ ...finalized, customer: { address: { city: 'Lyon', country: 'FR' } } });
  const october = { state: 'MI', period_end: '2026-10-31' };
  await get('/filing-periods');
  await post('/filings', { ...october, dry_run: true });
  const closed = await filed('/filings', october);
  await retried('/filings', october, 'k-5');
  await filed(`/filings/${closed.id}`, { status: 'canceled' });
  const again = await filed('/filings', { ...october, colour: 'red' });
  for (const { id } of [parent, draft]) await update(id, { status: 'void' });
  await create(creditOf(parent, { credit_remaining: true }));
  await get(`/filings/${again.id}/exceptions`, { isUnordered: true });
  await get(`/filings/${again.id}?expand=entries`, { isUnordered: true });
  await get(`/filings/${again.id}?expand=entries`, { headers: { Accept: 'text/csv' }, isUnordered: true });
  await post(`/filings/${again.id}`, { status: 'filed', confirmation_number: 'MI-1' });
  await filed(`/filings/${again.id}`, {
    status: 'filed',
    confirmation_number: 'MI-1',
    acknowledge_exceptions: again.exceptions.count,
  });
  await retried(`/filings/${again.id}`, { status: 'filed', confirmation_number: 'MI-1' }, 'k-6');
  await post(`/filings/${again.id}`, { status: 'canceled' });
  await get(`/transactions/${draft.id}`);
  await update(draft.id, { status: 'void' });
  const transactions = ['draft 100.70 5.70', 'estimate 100.00 5.00', 'nothing 53.00 3.00'].map((text) => {
    const [reference_id, total_amount, tax_amount] = words(text);
    return { reference_id, total_amount, tax_amount };
  });
  await post('/reconciliations', { from: '2026-10-01', to: '2026-10-31', transactions });
  await client.settle('/reports/by-state?from=2026-09&to=2026-12');
  await get('/registrations/advice');
};

export const scenarios = { documents, catalog, bodies, refusals, workflows } satisfies Record<string, Scenario>;
