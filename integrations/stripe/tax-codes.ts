import type Stripe from 'stripe';
import { type Levy, orThrow } from '../../shared/client/client.ts';

/** Thrown for an invoice that Levy can neither tax nor record unchanged. `code` is the reason. */
export class UnsupportedInvoice extends Error {
  override readonly name = 'UnsupportedInvoice';
  readonly code: string;
  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Returns Levy's product tax code for a Stripe product id. */
export type TaxCodes = (product: string) => Promise<string>;

/** Reads a product. Throws `UnsupportedInvoice` for a deleted one, which Stripe does not return. */
const readProduct = (stripe: Stripe, id: string): Promise<Stripe.Product> =>
  stripe.products.retrieve(id).catch((error: { readonly statusCode?: number }) => {
    if (error.statusCode !== 404) throw error;
    throw new UnsupportedInvoice(
      'no_tax_code',
      `Product ${id} was deleted. Set the metadata levy_tax_code of the line.`,
    );
  });

const keptMs = 10 * 60_000;

const mappedCode = async (levy: Levy, product: Stripe.Product, timeoutMs: number): Promise<string> => {
  const own = product.metadata['levy_tax_code'];
  if (own) return own;
  const advice = `Set the metadata levy_tax_code of product ${product.id} to a code of GET /product-tax-codes.`;
  const code = typeof product.tax_code === 'string' ? product.tax_code : product.tax_code?.id;
  if (!code) throw new UnsupportedInvoice('no_tax_code', `Product ${product.id} has no tax code. ${advice}`);
  const { data } = orThrow(
    await levy.get('/product-tax-codes', { query: { equivalent: `stripe:${code}` }, timeoutMs, maxTries: 1 }),
  );
  const rows = data
    .flatMap(({ equivalents }) => equivalents)
    .filter((each) => each.system === 'stripe' && each.code === code);
  const exact = rows.filter(({ match }) => match === 'exact');
  const [row, ...others] = exact.length > 0 ? exact : rows;
  if (row && others.length === 0) return row.product_tax_code;
  throw new UnsupportedInvoice('unknown_tax_code', `Levy has no single equivalent of Stripe's code ${code}. ${advice}`);
};

/**
 * Creates a lookup of product tax codes: the product's metadata `levy_tax_code`, else Levy's equivalent of its Stripe
 * tax code. Found codes are cached for ten minutes. Throws `UnsupportedInvoice` for a product without either.
 */
export const createTaxCodes = (stripe: Stripe, levy: Levy, timeoutMs: number): TaxCodes => {
  const found = new Map<string, { readonly code: string; readonly until: number }>();
  return async (id) => {
    const cached = found.get(id);
    if (cached && cached.until > Date.now()) return cached.code;
    const code = await mappedCode(levy, await readProduct(stripe, id), timeoutMs);
    found.set(id, { code, until: Date.now() + keptMs });
    return code;
  };
};
