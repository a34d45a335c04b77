import { newCaller } from './api.ts';
import { closedFiling, file, filerOf } from './filings.ts';
import type { Schema } from './http.ts';
import { creditOf, made, michigan, sale } from './sales.ts';
import { seeded } from './seeded.ts';

/** An account with random sales, credits, drafts, voids and filings. All of its personal data starts with `priv`. */

const mark = 'priv';

const randomOf = (seed: number) => {
  const random = seeded(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (share: number) => random() < share;
  let texts = 0;
  const secret = (kind: string) => `${mark}${kind}${seed}x${++texts}`;
  return { below, chance, secret };
};
type Random = ReturnType<typeof randomOf>;

const customerOf = ({ below, chance, secret }: Random, id: string) => ({
  id,
  address: { ...michigan, line1: `${below(900)} ${secret('street')} St`, postal_code: `48226-9${below(10)}77` },
  ...(chance(0.3) && { exemption: { type: 'resale', certificate_id: secret('cert') } }),
});

const lineOf = (random: Random, at: number) => ({
  id: `item_${at}`,
  product_tax_code: 'GENERAL',
  quantity: String(1 + random.below(4)),
  unit_price: `${1 + random.below(300)}.${10 + random.below(90)}`,
  ...(random.chance(0.5) && { description: random.secret('text') }),
  ...(random.chance(0.3) && { metadata: { gift: random.secret('note') } }),
  ...(random.chance(0.2) && { customer: customerOf(random, random.secret('other')) }),
});

const saleOf = (random: Random, id: string) =>
  sale({
    tax_date: `2026-10-${10 + random.below(18)}`,
    customer: customerOf(random, id),
    explain: random.chance(0.3),
    line_items: Array.from({ length: 1 + random.below(3) }, (_, at) => lineOf(random, at)),
    metadata: { email: random.secret('mail') },
    // An unknown field, which causes a warning.
    [random.secret('field')]: true,
    ...(random.chance(0.3) && { ship_from: { address: { ...michigan, line1: random.secret('depot') } } }),
  });

export const customerIds = ['privbuyerA', 'privbuyerB', 'privbuyerC'] as const;

/** Records about `count` sales, most of them with a credit or a change, files the month, and records more sales. */
export const personalShop = async (seed: number, count: number) => {
  const random = randomOf(seed);
  const caller = await newCaller();
  const client = filerOf(caller);
  const keyed = () => ({ 'Idempotency-Key': random.secret('key').replace(mark, 'request') });
  for (const id of customerIds)
    await made(
      client.call('POST', '/customers', {
        headers: keyed(),
        body: { id, name: random.secret('name'), exemptions: [] },
      }),
    );
  const record = async () => {
    const id = customerIds[random.below(customerIds.length)] as string;
    const status = random.chance(0.7) ? 'finalized' : 'draft';
    const recorded = await made(client.create({ ...saleOf(random, id), status }, keyed()));
    if (random.chance(0.3))
      await made(client.update(recorded.id, { metadata: { note: random.secret('more') } }, keyed()));
    // The response to a request that changes nothing is saved too.
    if (random.chance(0.3)) await made(client.update(recorded.id, { metadata: {} }, keyed()));
    if (random.chance(0.15))
      await made(client.update(recorded.id, { status: 'void', void_reason: random.secret('reason') }, keyed()));
    else if (status === 'finalized' && random.chance(0.3))
      await made(client.create(creditOf(recorded, { metadata: { why: random.secret('why') } }), keyed()));
  };
  const month = async (sales: number) => {
    for (let at = 0; at < sales; at++) await record();
  };
  await month(count);
  const filing = await closedFiling(client, 'US-MI', '2026-10-31');
  if (random.chance(0.5)) await file(client, filing.id);
  await month(Math.ceil(count / 3));
  return { caller, client, filing };
};

type PersonalShop = Awaited<ReturnType<typeof personalShop>>;

const figureKeys = /(amount|rate|count|status|jurisdiction_code|reference_id|tax_date|tax_day|month|type)$/;

/** Returns every number of a response with its path, without strings, customer ids and times. */
const figuresOf = (value: unknown, path = ''): string[] => {
  if (value === null || typeof value !== 'object') return figureKeys.test(path) ? [`${path} ${value}`] : [];
  return Object.entries(value).flatMap(([name, inner]) => figuresOf(inner, `${path}/${name}`));
};

/** Returns the numbers of all transactions of a list (with lines, sorted by id) and of a filing with its entries. */
export const everyFigure = async ({ client, filing }: PersonalShop): Promise<string[]> => {
  const rows: Schema<'TransactionListItem'>[] = [];
  let after: string | null = null;
  do {
    const page: Schema<'TransactionList'> = await made(
      client.list({ limit: '10', expand: 'line_items', ...(after !== null && { starting_after: after }) }),
    );
    rows.push(...page.data);
    after = page.next_cursor;
  } while (after !== null);
  const filed = await made(client.filing(filing.id, { expand: 'entries' }));
  const { exceptions } = filed;
  return [
    ...rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).flatMap((row) => figuresOf(row)),
    ...figuresOf({ ...filed, exceptions }),
  ];
};
