import { discountOf } from './amounts.ts';
import type { Document, Item, ShippingMethod } from './cart.ts';
import { documentFields } from './cart.ts';
import { type Container, loggerOf, queryOf } from './container.ts';
import { contextFrom, loggedTaxOf, nominalRatesOf, type Rate, type TaxContext } from './tax.ts';

type TaxLine = { readonly code: string; readonly rate: number };
type Method = ShippingMethod & { readonly tax_lines?: readonly TaxLine[] | null };
type StoredOrder = Document & { readonly shipping_methods?: readonly Method[] | null };
type Variant = { readonly id: string } & NonNullable<Item['variant']> & Pick<Item, 'product'>;
type NewItem = Item & { readonly variant_id?: string | null };

/** The argument of the hook `setTaxLineContext` of an order: the lines to tax. Default: the whole order. */
export type OrderHookInput = {
  readonly order: { readonly id: string };
  readonly items?: readonly NewItem[] | null;
  readonly shipping_methods?: readonly ShippingMethod[] | null;
};

const readOrder = async (container: Container, id: string): Promise<StoredOrder | undefined> => {
  const taxLines = ['shipping_methods.tax_lines.code', 'shipping_methods.tax_lines.rate'];
  // The quantity of an order's item is stored in its `detail`.
  const fields = [...documentFields, 'items.detail.quantity', ...taxLines];
  const { data } = await queryOf(container).graph({ entity: 'order', filters: { id }, fields });
  return data[0] as StoredOrder | undefined;
};

/**
 * Adds the tax codes of variants and products to new items, because the hook's items lack them. The hook also lacks
 * their quantity, which Medusa stores later.
 */
const withMetadata = async (container: Container, items: readonly NewItem[]): Promise<Item[]> => {
  const id = items.flatMap(({ variant_id }) => variant_id ?? []);
  if (id.length === 0) return items.map((item) => ({ ...item, quantity: 1 }));
  const fields = ['id', 'metadata', 'product.metadata', 'product.shipping_profile.id'];
  const { data } = await queryOf(container).graph({ entity: 'product_variant', filters: { id }, fields });
  const variants = new Map((data as Variant[]).map((row) => [row.id, row]));
  return items.map((item) => {
    const variant = variants.get(item.variant_id ?? '');
    return { ...item, quantity: 1, variant: variant ?? null, product: variant?.product ?? null };
  });
};

const netOf = (method: ShippingMethod): number => Number(method.amount) - discountOf(method);

/**
 * Returns the rates of new shipping methods. Levy rounds the tax of the shipping as a whole, so the new methods get the
 * tax that remains after the stored methods. Returns `null` if the stored methods have other tax lines, such as an
 * estimate.
 */
const remainingRates = (all: readonly Rate[], stored: readonly Method[], added: readonly ShippingMethod[]) => {
  const [before, net] = [stored, added].map((methods) => methods.reduce((sum, method) => sum + netOf(method), 0));
  const rates = all.map(({ rate, ...row }) => {
    const taxed = stored.reduce((sum, method) => {
      const line = (method.tax_lines ?? []).find(({ code }) => code === row.code);
      return sum + netOf(method) * Number(line?.rate ?? 0);
    }, 0);
    return { ...row, rate: net ? (((before ?? 0) + net) * rate - taxed) / net : 0 };
  });
  const codes = new Set(all.map(({ code }) => code));
  const isSame = stored.every(({ tax_lines }) => (tax_lines ?? []).every(({ code }) => codes.has(code)));
  return isSame && rates.every(({ rate }) => rate >= 0) ? rates : null;
};

/**
 * Handles the hook `setTaxLineContext` of orders, which edits, exchanges, claims, returns and draft orders use. Makes
 * one call for the order and its added lines together.
 */
export const orderTaxLineContext = async (
  { order, items, shipping_methods }: OrderHookInput,
  container: Container,
): Promise<{ readonly levy: TaxContext } | undefined> => {
  const stored = await readOrder(container, order.id);
  if (!stored) return undefined;
  const isNew = <Row extends { id: string }>(rows: readonly Row[] | null | undefined, old: readonly { id: string }[]) =>
    (rows ?? []).filter(({ id }) => !old.some((row) => row.id === id));
  const [storedItems, storedMethods] = [stored.items ?? [], stored.shipping_methods ?? []];
  const newItems = await withMetadata(container, isNew(items, storedItems));
  const newMethods = isNew(shipping_methods, storedMethods);
  const document: Document = {
    ...stored,
    items: [...storedItems, ...newItems],
    shipping_methods: [...storedMethods, ...newMethods],
  };
  const tax = await loggedTaxOf(document, 'order', loggerOf(container));
  const levy = contextFrom(tax);
  if (!tax.ok || levy.kind !== 'levy') return { levy };
  const added = tax.calculation.line_items.filter(({ id }) => newItems.some((item) => item.id === id));
  const nominal = added.map(({ id, taxes, net_amount }) => [id, nominalRatesOf(taxes, net_amount)]);
  const shipping = newMethods.length > 0 ? remainingRates(levy.shipping, storedMethods, newMethods) : null;
  return {
    levy: {
      ...levy,
      items: { ...levy.items, ...Object.fromEntries(nominal) },
      shipping: shipping ?? levy.shipping,
    },
  };
};
