import { noTaxMessage } from '../core/quotes.ts';
import { type Document, documentFields, toCart } from './cart.ts';
import { type Container, getLogger, getQuery, levy, readTax } from './levy.ts';
import { isEstimated, readTaxContext, type TaxContext } from './tax.ts';

/** The stored cart, because the hook's cart has no adjustments. */
const readCart = async (
  container: Container,
  id: string,
  more: readonly string[] = [],
): Promise<Document | undefined> => {
  const { data } = await getQuery(container).graph({
    entity: 'cart',
    filters: { id },
    fields: [...documentFields, ...more],
  });
  return data[0] as Document | undefined;
};

/**
 * Handles the hook `setTaxLineContext`: makes one call for the whole cart, before Medusa calls the provider for its
 * parts.
 */
export const taxLineContext = async (
  cartId: string,
  container: Container,
): Promise<{ readonly levy: TaxContext } | undefined> => {
  const cart = await readCart(container, cartId);
  return cart && { levy: await readTaxContext(cart, getLogger(container)) };
};

type Workflow = (scope: Container) => { readonly run: (options: { readonly input: object }) => Promise<unknown> };
export type Workflows = {
  readonly updateTaxLinesWorkflow: Workflow;
  readonly refreshPaymentCollectionForCartWorkflow: Workflow;
};

/**
 * Recalculates the tax of a cart with its discounts, and then its payment amount, because Medusa calculates tax before
 * discounts.
 */
export const retax = async (scope: Container, cart_id: string, workflows: Workflows): Promise<void> => {
  await workflows.updateTaxLinesWorkflow(scope).run({ input: { cart_id, force_tax_calculation: true } });
  await workflows.refreshPaymentCollectionForCartWorkflow(scope).run({ input: { cart_id } });
};

/** Finds the cart of a payment collection. */
export const cartOfCollection = async (scope: Container, id: string): Promise<string | undefined> => {
  const { data } = await getQuery(scope).graph({ entity: 'payment_collection', filters: { id }, fields: ['cart.id'] });
  return (data[0] as { cart?: { id: string } } | undefined)?.cart?.id;
};

/**
 * Returns why a cart must not become an order, or `null`. With `LEVY_FALLBACK=block`, each US order requires a tax from
 * Levy.
 */
export const readRefusal = async (container: Container, cartId: string): Promise<string | null> => {
  if (!levy().settings.isBlocking) return null;
  const cart = await readCart(container, cartId, ['items.tax_lines.code', 'shipping_methods.tax_lines.code']);
  if (!cart) return null;
  const tax = await readTax(toCart(cart));
  if (!tax.ok) return tax.reason === 'foreign' ? null : noTaxMessage(tax.reason === 'open' ? 'address' : tax.reason);
  if (!tax.isCovered) return noTaxMessage('address');
  const lines = [...(cart.items ?? []), ...(cart.shipping_methods ?? [])];
  return isEstimated(lines as Parameters<typeof isEstimated>[0]) ? noTaxMessage('unavailable') : null;
};
