import { closest } from '../vocabulary/closest.ts';

// Names of other services for our fields, in snake case.
const aliases: Readonly<Record<string, readonly string[]>> = {
  address1: ['line1'],
  amount: ['unit_price', 'amount'],
  date: ['tax_date'],
  discount: ['discount_amount'],
  items: ['line_items'],
  lines: ['line_items'],
  name: ['description'],
  postcode: ['postal_code'],
  price: ['unit_price'],
  product_code: ['product_tax_code'],
  products: ['line_items'],
  province: ['state'],
  qty: ['quantity'],
  reference: ['reference_id'],
  region: ['state'],
  ship_to: ['customer'],
  street: ['line1'],
  tax: ['tax_amount'],
  tax_code: ['product_tax_code'],
  to: ['customer'],
  zip: ['postal_code'],
  zip_code: ['postal_code'],
};

const snakeCase = (name: string): string => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/** The field among `names` that an unknown field probably means: the name of another service, or a typo; `null` without one. */
export const suggestedField = (unknown: string, names: readonly string[]): string | null => {
  const name = snakeCase(unknown);
  const known = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  const alias = known?.find((field) => names.includes(field));
  const field = alias ?? (names.includes(name) ? name : closest(name, names, Math.floor(name.length / 4)));
  return field === undefined || field === unknown ? null : field;
};

// Fields of other requests, which a name in camel case can mean.
const otherFields = [
  ...['acknowledge_exceptions', 'confirmation_number', 'dry_run', 'period_end'],
  ...['reference_id', 'status', 'tax_amount', 'void_reason'],
];

/** What to send instead of an unknown field at a pointer, in a sentence; empty without a similar field. */
export const suggestField = (pointer: string, names: readonly string[]): string => {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (/^\/(shipping_?)?address$/i.test(pointer) && names.includes('customer')) return 'Send `customer.address`.';
  const snake = snakeCase(name);
  const field = suggestedField(name, names) ?? (snake !== name && otherFields.includes(snake) ? snake : null);
  return field === null ? '' : `Did you mean \`${field}\`?`;
};
