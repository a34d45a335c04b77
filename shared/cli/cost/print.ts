import { divideHalfUp } from '../../money/decimal.ts';
import { textTable } from '../content/text-table.ts';
import type { Bill, BillLine } from './bill.ts';
import type { Basis } from './price-sources.ts';
import type { PriceName, Prices } from './prices.ts';

/** Cents as dollars: `1234567n` is `12,345.67`. */
export const dollarsText = (cents: bigint): string =>
  `${(cents / 100n).toLocaleString('en-US')}.${String(cents % 100n).padStart(2, '0')}`;

const plainDollars = (cents: bigint): string => dollarsText(cents).replaceAll(',', '');

/** A quantity in the units of its price: whole ones, or three decimals where it is not whole. */
const unitsOf = (quantity: bigint, { counts }: { readonly counts: bigint }): string => {
  const thousandths = divideHalfUp(quantity * 1000n, counts);
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, '0')}`.replace('.000', '');
};

const readable = (units: string): string => {
  const [whole = '', fraction] = units.split('.');
  return BigInt(whole).toLocaleString('en-US') + (fraction ? `.${fraction}` : '');
};

const padded = (rows: readonly (readonly string[])[], column: number): readonly (readonly string[])[] => {
  const width = Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) => row.map((cell, at) => (at === column ? cell.padStart(width) : cell)));
};

const rowOf = ({ service, item, price, quantity, cents }: BillLine, prices: Prices): readonly string[] => [
  service,
  item,
  readable(unitsOf(quantity, prices[price])),
  prices[price].unit,
  dollarsText(cents),
];

const used = ({ lines }: Bill) => lines.filter(({ quantity }) => quantity > 0n);

const howSure: Readonly<Record<Basis, string>> = {
  aws: "In AWS' own words",
  others: 'Shown by AWS by script only; two others or more agree',
  unconfirmed: 'Not confirmed',
  given: 'Given by --prices',
};

/** Where the prices that count were read, by how sure that is. */
const readText = (bill: Bill, prices: Prices): readonly string[] => {
  const names = [...new Set(used(bill).map(({ price }) => price))];
  const days = [...new Set(names.map((name) => prices[name].read).filter((read) => read !== null))];
  const groups = (Object.entries(howSure) as [Basis, string][])
    .map(([basis, words]) => ({ words, of: names.filter((name) => prices[name].basis === basis) }))
    .filter(({ of }) => of.length > 0);
  return [
    `Prices${days.length > 0 ? ` of us-east-1, looked up on ${days.join(', ')}` : ''} (where each is from: --json; others: --prices).`,
    ...groups.map(({ words, of }) => `  ${words}: ${of.join(', ')}.`),
  ];
};

/** A bill as text: its lines, what each service comes to, and how sure its prices are. */
export const billText = (bill: Bill, prices: Prices): string => {
  const lines = [['service', 'what', 'used', 'unit', 'dollars'], ...used(bill).map((line) => rowOf(line, prices))];
  const services = [
    ['service', 'dollars a month'],
    ...bill.services.map(({ service, cents }) => [service, dollarsText(cents)]),
    ['together', dollarsText(bill.cents)],
  ];
  return [
    textTable(padded(padded(lines, 2), 4)),
    '',
    textTable(padded(services, 1)),
    '',
    ...readText(bill, prices),
  ].join('\n');
};

/** The same as JSON: decimals are strings, and every line says which price it has. */
export const billJson = (bill: Bill, prices: Prices) => {
  const priceOf = ({ tiers, per, unit, page, basis, sources, read }: Prices[PriceName]) => ({
    ...{ unit, per: String(per), tiers },
    ...{ page, basis, sources, read },
  });
  const names = [...new Set(bill.lines.map(({ price }) => price))];
  return {
    currency: 'USD',
    total: plainDollars(bill.cents),
    services: bill.services.map(({ service, cents }) => ({ service, dollars: plainDollars(cents) })),
    lines: bill.lines.map(({ service, item, price, quantity, cents }) => ({
      ...{ service, item, price },
      used: unitsOf(quantity, prices[price]),
      unit: prices[price].unit,
      dollars: plainDollars(cents),
    })),
    prices: Object.fromEntries(names.map((name) => [name, priceOf(prices[name])])),
  };
};
