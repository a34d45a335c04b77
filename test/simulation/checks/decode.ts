import type { Settings } from '../../../shared/accounts/account.ts';
import type { Transaction } from '../../../shared/ledger/transaction.ts';
import { formatAmount, minorDigits } from '../../../shared/money/currency.ts';
import type { Item } from '../../support/memory-database.ts';
import { shippingCharges } from '../../support/shipping.ts';
import { storedBytes, storedText } from '../../support/stored-bytes.ts';

/** Decodes items without the store's code, so a bug in both writing and reading is found. */

/** Attributes that are stored separately from the rest of a transaction. */
type Lines = Pick<Transaction, 'line_items' | 'explanation'> & {
  readonly settingsSnapshot: { readonly registrations: Settings['registrations'] };
};

/** A compressed value. */
export const json = (bytes: unknown): unknown => JSON.parse(storedText(bytes));

/** The decimals of the currencies of the schedules. */
export const currencyDecimals: Readonly<Record<string, number>> = { USD: 2, JPY: 0, KWD: 3 };

/** An item with its compressed attributes as text. */
export const plain = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, value instanceof Uint8Array ? storedText(value) : value]),
  );

/** An amount in the smallest unit of its currency. All amounts are far from the limits of a number. */
export const cents = (amount: string): number => {
  if (!/^-?\d+(\.\d{2,3})?$/.test(amount)) throw new Error(`${amount} is no amount.`);
  return Number(amount.replace('.', ''));
};

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

type Share = { readonly net: number; readonly tax: number };

/** A stored transaction. */
export type Head = {
  readonly item: Item;
  readonly account: string;
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly reference: string | null;
  /** The expiry of a draft in milliseconds; `null` for other transactions. */
  readonly endsMs: number | null;
  readonly transaction: Transaction;
  /** The registrations used for its calculation. */
  readonly registrations: Settings['registrations'];
  /** Its credit counters: by line or shipping charge, and for unmatched lines. */
  readonly credited: {
    readonly charges: ReadonlyMap<string, Share>;
    readonly unmatched: Share;
    /** The calculated tax of all charges, if it differs from the recorded tax. */
    readonly calculated: number | null;
  };
};

const nothing: Share = { net: 0, tax: 0 };

// Hexadecimal digits: cents between the letters a, charges between the letters b, c for a minus, f to fill a byte.
const listCharges = (bytes: unknown): string[] => storedBytes(bytes).toString('hex').replace(/f$/, '').split('b');

const getCredited = (item: Item, { line_items, shipping }: Transaction): Head['credited'] => {
  const { credited } = item;
  if (credited === undefined) return { charges: new Map(), unmatched: nothing, calculated: null };
  const charges = listCharges(credited);
  const getAmounts = (charge: string) => charge.split('a').map((digits) => Number(digits.replace('c', '-')));
  const ids = [...line_items, ...shippingCharges(shipping)].map(({ id }) => id);
  const count = ids.length + 1;
  const shares = charges.map((charge) => {
    const [net = 0, tax = 0] = getAmounts(charge);
    return { net, tax };
  });
  // Six amounts of the charge, and then taxable, exempt, tax and the difference of the calculated tax of each row.
  const ofRows = charges.slice(0, -1).map((charge) => getAmounts(charge).slice(6));
  if (charges.length !== count) throw new Error('The counters have another number of charges than the sale.');
  const unmatched = shares.at(-1) ?? nothing;
  const taxes = ofRows.flatMap((amounts) => amounts.filter((_, at) => at % 4 === 2));
  const differences = ofRows.flatMap((amounts) => amounts.filter((_, at) => at % 4 === 3));
  const calculated = differences.some((difference) => difference !== 0) ? sum([...taxes, ...differences]) : null;
  return { charges: new Map(ids.map((id, at) => [id, shares[at] as Share])), unmatched, calculated };
};

const heads = new WeakMap<Item, Head>();

export const getHead = (item: Item): Head => {
  const known = heads.get(item);
  if (known) return known;
  const [, account = '', id = ''] = String(item['pk']).split('#');
  const { line_items, explanation, settingsSnapshot } = json(item['lines']) as Lines;
  const transaction = { ...(json(item['summary']) as Omit<Transaction, keyof Lines>), line_items, explanation };
  const head: Head = {
    item,
    account,
    id,
    version: item['version'] as number,
    status: item['status'] as string,
    reference: transaction.reference_id,
    endsMs: item['status'] === 'draft' ? Date.parse(item['expires_at'] as string) : null,
    transaction,
    registrations: settingsSnapshot.registrations,
    credited: getCredited(item, transaction),
  };
  heads.set(item, head);
  return head;
};

/** The amounts of an entry for one jurisdiction and rate. Optional amounts are present only if they are not zero. */
type StoredAmounts = {
  readonly jurisdiction_code: string;
  readonly rate: string;
  readonly taxable_amount: string;
  readonly exempt_amount: string;
  readonly tax_amount: string;
  readonly not_covered_amount?: string;
  readonly calculated_tax_amount?: string;
  readonly over_collected_amount?: string;
};

/** A liability, open or in a filing. */
export type Entry = {
  readonly account: string;
  readonly transactionId: string;
  readonly state: string;
  readonly month: string;
  readonly currency: string;
  /** Its filing, or `null`. */
  readonly filing: string | null;
  readonly figures: {
    readonly base: Pick<StoredAmounts, 'taxable_amount' | 'exempt_amount' | 'not_covered_amount'>;
    readonly amounts: readonly StoredAmounts[];
    readonly document?: { readonly type: string };
    readonly exceptions?: readonly { readonly reason: string; readonly gross_amount: string }[];
    readonly review?: readonly string[];
  };
};

type StoredSums = Readonly<Record<'taxable' | 'exempt' | 'tax', string>> &
  Readonly<Partial<Record<'not_covered' | 'difference' | 'over_collected', string>>>;
type StoredFigures = {
  readonly base: StoredSums;
  readonly amounts: readonly (StoredSums & Pick<StoredAmounts, 'jurisdiction_code' | 'rate'>)[];
  readonly document: { readonly type: string };
  readonly exceptions?: readonly { readonly reason: string; readonly gross: string }[];
  readonly review?: readonly string[];
};

// Amounts are stored in minor units; zero differences are absent.
const getFigures = (
  { base, amounts, document, exceptions, review }: StoredFigures,
  currency: string,
): Entry['figures'] => {
  const text = (minor: bigint | string) => formatAmount(BigInt(minor), minorDigits(currency));
  const sums = ({ taxable, exempt, not_covered = '0' }: StoredSums) => ({
    taxable_amount: text(taxable),
    exempt_amount: text(exempt),
    not_covered_amount: text(not_covered),
  });
  return {
    base: sums(base),
    amounts: amounts.map(({ jurisdiction_code, rate, ...row }) => ({
      jurisdiction_code,
      rate,
      ...sums(row),
      tax_amount: text(row.tax),
      calculated_tax_amount: text(BigInt(row.tax) - BigInt(row.difference ?? 0)),
      over_collected_amount: text(row.over_collected ?? '0'),
    })),
    document,
    ...(exceptions && { exceptions: exceptions.map(({ reason, gross }) => ({ reason, gross_amount: text(gross) })) }),
    ...(review && { review }),
  };
};

export const getEntry = (item: Item): Entry => {
  const [kind, account = '', filing = ''] = String(item['pk']).split('#');
  return {
    account,
    transactionId: item['transactionId'] as string,
    state: item['state'] as string,
    month: item['month'] as string,
    currency: item['currency'] as string,
    filing: kind === 'F' ? filing : null,
    figures: getFigures(json(item['figures']) as StoredFigures, item['currency'] as string),
  };
};

type Kind = 'head' | 'audit' | 'claim' | 'record' | 'entry' | 'other';

/** The kind of an item, by its key. */
export const getKind = (name: string): Kind => {
  const [pk = '', sk = ''] = name.split(' ');
  if (pk.startsWith('T#')) return sk === 'H' ? 'head' : sk.startsWith('A#') ? 'audit' : 'other';
  if (pk.startsWith('R#')) return 'claim';
  if (pk.startsWith('I#')) return 'record';
  return pk.startsWith('O#') || (pk.startsWith('F#') && sk.includes('txn_')) ? 'entry' : 'other';
};

/** Returns whether a transaction occupies its reference, because it is neither void nor an expired draft. */
export const isLive = ({ status, endsMs }: Head, nowMs: number): boolean =>
  status !== 'void' && (endsMs === null || endsMs > nowMs);
