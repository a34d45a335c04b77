import { getSum } from '../core/charges.ts';
import {
  type Document,
  documentFields,
  getExponent,
  type Item,
  netOfLine,
  netOfMethod,
  type ShippingMethod,
  takePercent,
} from './cart.ts';
import { type Container, getLogger, getQuery } from './levy.ts';
import { contextFrom, listNominalRates, type Rate, readLoggedTax, type TaxContext } from './tax.ts';

type TaxLine = { readonly code: string; readonly rate: number };
type Method = ShippingMethod & { readonly tax_lines?: readonly TaxLine[] | null };
type StoredItem = Item & { readonly tax_lines?: readonly TaxLine[] | null };
type StoredOrder = Document & {
  readonly items?: readonly StoredItem[] | null;
  readonly shipping_methods?: readonly Method[] | null;
};
type Variant = { readonly id: string } & NonNullable<Item['variant']> & Pick<Item, 'product'>;
type NewItem = Item & { readonly variant_id?: string | null };

/** The argument of the hook `setTaxLineContext` of an order: the lines to tax. Default: the whole order. */
export type OrderHookInput = {
  readonly order: { readonly id: string };
  readonly items?: readonly NewItem[] | null;
  readonly shipping_methods?: readonly ShippingMethod[] | null;
};

const readOrder = async (container: Container, id: string): Promise<StoredOrder | undefined> => {
  const taxLines = ['items', 'shipping_methods'].flatMap((rows) => [
    `${rows}.tax_lines.code`,
    `${rows}.tax_lines.rate`,
  ]);
  // The quantity of an order's item is stored in its `detail`.
  const fields = [...documentFields, 'items.detail.quantity', ...taxLines];
  const { data } = await getQuery(container).graph({ entity: 'order', filters: { id }, fields });
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
  const { data } = await getQuery(container).graph({ entity: 'product_variant', filters: { id }, fields });
  const variants = new Map((data as Variant[]).map((row) => [row.id, row]));
  return items.map((item) => {
    const variant = variants.get(item.variant_id ?? '');
    return { ...item, quantity: 1, variant: variant ?? null, product: variant?.product ?? null };
  });
};

/**
 * A stored or new item or shipping method: its net amount in millionths of a minor unit, and its tax lines if known.
 */
type Charge = { readonly id: string; readonly net: bigint; readonly tax_lines?: readonly TaxLine[] | null | undefined };

const chargeOfMethod = (method: Method, exponent: number): Charge => ({
  ...method,
  net: netOfMethod(method, exponent),
});
const chargeOfItem = (item: StoredItem, exponent: number): Charge => ({ ...item, net: netOfLine(item, exponent) });

/**
 * Returns the rates of new charges. They get the tax that remains after the stored charges, because Medusa does not
 * recalculate these: Levy allocates and rounds shipping as a whole, and an item with a negative price lowers the tax of
 * the others. Returns `null` if the stored charges have other tax lines, such as an estimate.
 */
const remainingRates = (
  levy: Readonly<Record<string, readonly Rate[]>>,
  stored: readonly Charge[],
  added: readonly Charge[],
): readonly Rate[] | null => {
  const all = [...stored, ...added];
  const names = new Map(all.flatMap(({ id }) => levy[id] ?? []).map(({ code, name }) => [code, name]));
  const getTax = (charges: readonly Charge[], code: string, listLines: (charge: Charge) => readonly TaxLine[]) =>
    charges.reduce((sum, charge) => {
      const lines = listLines(charge).filter((line) => line.code === code);
      return lines.reduce((tax, { rate }) => tax + takePercent(charge.net, rate), sum);
    }, 0n);
  const net = getSum(added.map((charge) => charge.net));
  const rates = [...names].map(([code, name]) => {
    const left =
      getTax(all, code, ({ id }) => levy[id] ?? []) - getTax(stored, code, ({ tax_lines }) => tax_lines ?? []);
    return { code, name, rate: net === 0n || left === 0n ? 0 : (Number(left) / Number(net)) * 100 };
  });
  const isSame = stored.every(({ tax_lines }) => (tax_lines ?? []).every(({ code }) => names.has(code)));
  return isSame && rates.every(({ rate }) => rate >= 0) ? rates : null;
};

const toEach = (charges: readonly Charge[], rates: readonly Rate[] | null) =>
  rates && Object.fromEntries(charges.map(({ id }) => [id, rates]));

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
  const tax = await readLoggedTax(document, 'order', getLogger(container));
  const levy = contextFrom(tax, document.shipping_methods ?? []);
  if (!tax.ok || levy.kind !== 'levy') return { levy };
  const exponent = getExponent(document.currency_code.toUpperCase());
  const toCharge = (item: StoredItem) => chargeOfItem(item, exponent);
  const toMethod = (method: Method) => chargeOfMethod(method, exponent);
  const added = tax.calculation.line_items.filter(({ id }) => newItems.some((item) => item.id === id));
  const nominal = Object.fromEntries(
    added.map(({ id, taxes, net_amount }) => [id, listNominalRates(taxes, net_amount)]),
  );
  const [reductions, priced] = [true, false].map((isBelow) =>
    newItems.filter(({ unit_price }) => Number(unit_price) < 0 === isBelow).map(toCharge),
  ) as [Charge[], Charge[]];
  const known = [...storedItems.map(toCharge), ...priced.map((one) => ({ ...one, tax_lines: nominal[one.id] }))];
  const methods = newMethods.map(toMethod);
  const ofItems = remainingRates({ ...levy.items, ...nominal }, known, reductions);
  const ofMethods = remainingRates(levy.shipping, storedMethods.map(toMethod), methods);
  return {
    levy: {
      ...levy,
      items: { ...levy.items, ...nominal, ...toEach(reductions, ofItems) },
      shipping: { ...levy.shipping, ...toEach(methods, ofMethods) },
    },
  };
};
