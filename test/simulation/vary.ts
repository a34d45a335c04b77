import type { Request } from './service.ts';
import { between, chance, oneOf, weighted } from './world.ts';

/** Requests of varied schedules: days around the end of a month, several currencies, and customers on lines. */

type Body = NonNullable<Request['body']>;

const hourMs = 3_600_000;

/** An instant around the first hour of a month, in UTC or with the offset of another place. */
const instant = (): string => {
  const ms = Date.parse(oneOf(['2026-10-01', '2026-11-01', '2026-12-01'])) + between(-15 * 60, 15 * 60) * 60_000;
  return chance(0.7) ? new Date(ms).toISOString() : new Date(ms + 9 * hourMs).toISOString().replace('Z', '+09:00');
};

/** `null` is now. */
const taxDate = () =>
  weighted<string | null>([
    [3, instant()],
    [2, oneOf(['2026-09-30', '2026-10-31', '2026-11-01'])],
    [2, null],
  ]);

/** Customers whom operators redact. */
export const customers = ['buyer', 'guest'] as const;

type Customer = { readonly customer?: { readonly address: object } };

/** With an id, and a street that no other document has. */
const named = <Value extends Customer>(of: Value, street: string): Value =>
  of.customer ? { ...of, customer: { id: oneOf(customers), address: { ...of.customer.address, line1: street } } } : of;

// Yen have no decimals.
const inYen = (body: Body): Body => ({
  ...body,
  ...(body['discount_amount'] !== undefined && { discount_amount: '1' }),
  ...(body['tax_amount'] !== undefined && { tax_amount: '12' }),
});

const variedSale = (body: Body, name: string): Body => {
  const currency = weighted([
    [4, 'USD'],
    [2, 'JPY'],
    [2, 'KWD'],
  ]);
  const lines = body['line_items'] as readonly (Customer & { readonly id: string })[];
  const sale = named(body as Customer, `${name} Way`);
  return {
    ...(currency === 'JPY' ? inYen(sale) : sale),
    currency,
    ...(chance(0.3) && { tax_amount: '12' }),
    line_items: lines.map((line) => named(line, `${name} ${line.id} Lane`)),
  };
};

/** A request of a varied schedule. */
export const vary = (request: Omit<Request, 'key'>, name: string): Omit<Request, 'key'> => {
  const { operation, body } = request;
  const isDated = operation === 'createTransaction' || (operation === 'updateTransaction' && body?.['tax_date']);
  if (!body || !isDated) return request;
  const { tax_date: _, ...others } = body;
  const day = taxDate() ?? (operation === 'createTransaction' ? undefined : instant());
  const dated = { ...others, ...(day !== undefined && { tax_date: day }) };
  const isSale = operation === 'createTransaction' && body['type'] !== 'credit';
  return { ...request, body: isSale ? variedSale(dated, name) : dated };
};
