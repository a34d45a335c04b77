/** Months of shops with random documents, credits, filings, lists and reports. */
import { cartFrom, type Draw, drawFrom } from './draw.ts';
import { type Client, type Context, clientOf, type Scenario, words } from './scenarios.ts';

type Json = any;

const creditFrom = (draw: Draw, parent: Json, tax_date: string): Json => {
  const rest = {
    type: 'credit',
    parent_transaction_id: parent.id,
    tax_date,
    status: draw.chance(80) ? 'finalized' : 'draft',
  };
  return draw.of<() => object>([
    () => rest,
    () => ({ ...rest, credit_remaining: true }),
    () => ({
      ...rest,
      line_items: [{ id: draw.of<Json>(parent.line_items).id, quantity: draw.of(['1', '0.5', '2']) }],
    }),
    () => ({
      ...rest,
      line_items: [{ id: 'free', parent_line_item_id: parent.line_items[0].id, quantity: '1', unit_price: '1.00' }],
    }),
    () => ({ ...rest, tax_amount: '0.01' }),
    () => ({ ...rest, line_items: [{ id: parent.line_items[0].id, quantity: '0.25' }], shipping: { amount: '1.00' } }),
  ])();
};

const changeFrom = (draw: Draw, codes: readonly string[]): object =>
  draw.of<() => object>([
    () => ({ status: 'finalized' }),
    () => ({ status: 'void', void_reason: 'r' }),
    () => ({ line_items: cartFrom(draw, codes).line_items, status: 'finalized' }),
    () => ({ tax_amount: draw.of(['0', '1.23', null]) }),
    () => ({ metadata: { channel: null, seen: 'yes' } }),
    () => ({ tax_date: '2026-11-20', explain: true }),
    () => ({ reference_id: `late-${draw.below(50)}` }),
  ])();

const sell = async (
  { create, update, get, post }: Client,
  draw: Draw,
  codes: readonly string[],
  count: number,
): Promise<Json[]> => {
  const made: Json[] = [];
  for (let at = 0; at < count; at += 1) {
    const cart = cartFrom(draw, codes);
    const names = {
      ...(draw.chance(40) && { reference_id: `inv-${draw.chance(5) ? 1 : at}` }),
      ...(draw.chance(10) && { tax_amount: '3' }),
    };
    if (draw.chance(15)) await post('/calculations', { ...cart, explain: true });
    const sold = await create({ ...cart, ...names, status: draw.chance(75) ? 'finalized' : 'draft' });
    if (sold.id) made.push(sold);
    if (made.length > 3 && draw.chance(35))
      await create(
        creditFrom(
          draw,
          draw.of(draw.chance(85) ? made.filter(({ status }) => status === 'finalized') : made),
          `2026-${draw.of(['10', '11'])}-30`,
        ),
      );
    if (made.length > 3 && draw.chance(20)) await update(draw.of(made).id, changeFrom(draw, codes));
    if (made.length > 3 && draw.chance(6)) await post(`/transactions/${draw.of(made).id}/replay`, undefined);
    if (made.length > 3 && draw.chance(6)) await get(`/transactions/${draw.of(made).id}?expand=history`);
  }
  return made;
};

const lists = async ({ pages, get }: Client, made: readonly Json[]): Promise<void> => {
  const filters = `status=draft status=void status=filed type=credit reference_id=inv-1 parent_transaction_id=${made[3].id} customer_id=cus_1
    customer_id=cus_2&status=finalized state=HI state=US-NY&type=sale`;
  for (const filter of words(filters)) await pages(`/transactions?limit=40&${filter}`);
  const days = `tax_date[gte]=2026-10-01&tax_date[lt]=2026-10-08 tax_date[gt]=2026-11-27&tax_date[lte]=2026-12-01
    created_at[gte]=2026-12-01&created_at[lt]=2027-01-01&state=CA created_at[lt]=2026-12-01 status=finalized&state=TX&tax_date[gte]=2026-10-01T04:30:00Z`;
  for (const bounds of words(days)) await pages(`/transactions?limit=30&${bounds}`);
  await get('/transactions?limit=5&expand=line_items');
  await get(`/transactions?limit=3&starting_after=${made[20].id}`);
  await pages('/transactions?limit=100', { headers: { Accept: 'text/csv' } });
};

const filings = async (client: Client, states: readonly string[], periodEnds: readonly string[]): Promise<void> => {
  const { post, filed, pages, get } = client;
  for (const state of states)
    for (const period_end of periodEnds) {
      await post('/filings', { state, period_end, dry_run: true });
      const { id, exceptions } = await filed('/filings', { state, period_end });
      if (!id) continue;
      await get(`/filings/${id}?expand=entries&limit=100`, { isUnordered: true });
      await pages(`/filings/${id}?expand=entries&limit=7`, { isHeadOnly: true });
      await get(`/filings/${id}/exceptions?limit=100`, { isUnordered: true });
      await pages(`/filings/${id}/exceptions?limit=7`, { isHeadOnly: true });
      await get(`/filings/${id}`, { headers: { Accept: 'text/csv' }, isUnordered: true });
      if (period_end < '2026-11-01')
        await filed(`/filings/${id}`, {
          status: 'filed',
          confirmation_number: `${state}-1`,
          acknowledge_exceptions: exceptions.count,
        });
      else if (state < 'M') await filed(`/filings/${id}`, { status: 'canceled' });
    }
  for (const query of ['limit=4', 'state=MI', 'status=closed', 'status=filed', 'period_end=2026-10-31'])
    await pages(`/filings?${query}`);
  await pages('/filing-periods?limit=5');
  await get('/filing-periods?state=CA');
};

const month = async (context: Context, seed: number, count: number, settings: readonly string[]): Promise<Client> => {
  const client = clientOf(context, (await context.service.createAccount(settings)).key);
  const draw = drawFrom(seed);
  const { body } = await client.get('/product-tax-codes');
  const codes: string[] = body.data.map((row: Json) => row.code);
  await client.get('/account');
  await client.post('/customers', {
    id: 'cus_1',
    exemptions: [{ reason: 'resale', states: ['MI', 'CA', 'WA', 'HI'] }],
  });
  await client.post('/customers', {
    id: 'cus_2',
    exemptions: [
      { reason: 'nonprofit', valid_to: '2026-10-31' },
      { reason: 'government', states: ['NY'] },
    ],
  });
  const made = await sell(client, draw, codes, count);
  await lists(client, made);
  return client;
};

/** A shop that collects tax in every state. */
const shop: Scenario = async (context) => {
  const client = await month(context, 1, 400, ['registrations=all']);
  await filings(client, ['MI', 'CA', 'TX', 'NY', 'CO', 'HI'], ['2026-09-30', '2026-10-31', '2026-11-30']);
  await client.pages('/transactions?limit=100&status=filed');
  await client.settle('/reports/by-state?from=2026-08&to=2026-12');
  await client.get('/registrations/advice');
};

const frequencies =
  'MI month, CA quarter, NY quarter, HI month, CO month, TX month, AL month, WA year, IL month, LA month';
const registrations = frequencies.split(', ').map((text) => {
  const [state, frequency] = words(text);
  const [from, to] = [state === 'CO' ? '2026-10-15' : '2026-01-01', state === 'IL' ? '2026-11-10' : null];
  return { state, from, to, frequency };
});
const elections = [{ state: 'TX', election: 'single_local_use_tax', from: '2026-01-01', to: null }];

/** A shop with every setting other than its default, whose periods the schedule closes. */
const settings: Scenario = async (context) => {
  const client = await month(context, 2, 200, [
    ...[`registrations=${JSON.stringify(registrations)}`, `remote_seller_elections=${JSON.stringify(elections)}`],
    ...words('rounding=invoice ambiguous_address=highest_rate pass_on_general_excise=true retail_delivery_fee=add'),
    ...words('time_zone=America/New_York review_days=2'),
    'ship_from={"city":"Chicago","state":"IL","postal_code":"60602","country":"US"}',
  ]);
  await client.pages('/filing-periods?limit=5');
  await context.service.runSchedule('close-periods');
  for (const { state } of registrations) {
    const { body } = await client.get(`/filings?state=${state}&limit=20`);
    for (const { id } of body.data.slice(0, 2))
      await client.get(`/filings/${id}?expand=entries`, { isUnordered: true });
  }
  await client.settle('/reports/by-state?from=2026-08&to=2026-12');
  await client.get('/registrations/advice');
  await client.get('/rates?postal_code=77002');
};

export const shops = { shop, settings } satisfies Record<string, Scenario>;
