import type { Settings } from '../../../shared/accounts/account.ts';
import type { Transaction } from '../../../shared/ledger/transaction.ts';
import type { Item } from '../../support/memory-database.ts';
import { storedBytes, storedText } from '../../support/raw-items.ts';
import { listCharges } from '../../support/sales.ts';

/** Decodes items without the store's code, so a bug in both writing and reading is found. */

/** Attributes that are stored separately from the rest of a transaction. */
type Lines = Pick<Transaction, 'line_items' | 'explanation'> & {
  readonly settingsSnapshot: { readonly registrations: Settings['registrations'] };
};

/** Parses a compressed JSON value. */
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
  /** The registrations used for the calculation. */
  readonly registrations: Settings['registrations'];
  /** The credit counters: by line or shipping charge, and for unmatched lines. */
  readonly credited: {
    readonly charges: ReadonlyMap<string, Share>;
    readonly unmatched: Share;
    /** The calculated tax of all charges, if it differs from the recorded tax. */
    readonly calculated: number | null;
  };
};

const nothing: Share = { net: 0, tax: 0 };

// In hexadecimal, `a` separates amounts, `b` separates charges, `c` is a minus sign, and `f` fills the last byte.
const splitCharges = (bytes: unknown): string[] => storedBytes(bytes).toString('hex').replace(/f$/, '').split('b');

const getCredited = (item: Item, sale: Transaction): Head['credited'] => {
  const { credited } = item;
  if (credited === undefined) return { charges: new Map(), unmatched: nothing, calculated: null };
  const charges = splitCharges(credited);
  const getAmounts = (charge: string) => charge.split('a').map((digits) => Number(digits.replace('c', '-')));
  const ids = listCharges(sale).map(({ id }) => id);
  const count = ids.length + 1;
  const shares = charges.map((charge) => {
    const [net = 0, tax = 0] = getAmounts(charge);
    return { net, tax };
  });
  // After six amounts of the charge, each row has its taxable and exempt amount, its tax, and the tax difference.
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

type StoredSums = Readonly<Record<'taxable' | 'exempt' | 'tax', string>> &
  Readonly<Partial<Record<'not_covered' | 'difference' | 'over_collected', string>>>;

/** Amounts in the smallest unit of the currency. */
type Sums = Readonly<Record<'taxable' | 'exempt' | 'notCovered' | 'gross' | 'tax' | 'difference' | 'over', number>>;

type Figures<Amounts, Amount> = {
  readonly base: Amounts;
  readonly amounts: readonly (Amounts & { readonly jurisdiction_code: string; readonly rate: string })[];
  readonly document: { readonly type: string; readonly customer_id?: string | null };
  readonly exceptions?: readonly { readonly reason: string; readonly gross: Amount }[];
  readonly review?: readonly string[];
};

/** A liability, open or in a filing. */
export type Entry = {
  readonly account: string;
  readonly transactionId: string;
  readonly state: string;
  readonly month: string;
  readonly currency: string;
  /** The filing of the liability, or `null`. */
  readonly filing: string | null;
  readonly figures: Figures<Sums, number>;
};

// Amounts that are zero can be absent.
const readSums = ({ not_covered = '0', difference = '0', over_collected = '0', ...sums }: StoredSums): Sums => {
  const [taxable, exempt, notCovered] = [Number(sums.taxable), Number(sums.exempt), Number(not_covered)];
  const gross = taxable + exempt + notCovered;
  const [tax, over] = [Number(sums.tax), Number(over_collected)];
  return { taxable, exempt, notCovered, gross, tax, difference: Number(difference), over };
};

const getFigures = ({ base, amounts, exceptions, ...others }: Figures<StoredSums, string>): Figures<Sums, number> => ({
  ...others,
  base: readSums(base),
  amounts: amounts.map(({ jurisdiction_code, rate, ...row }) => ({ jurisdiction_code, rate, ...readSums(row) })),
  ...(exceptions && { exceptions: exceptions.map(({ reason, gross }) => ({ reason, gross: Number(gross) })) }),
});

export const getEntry = (item: Item): Entry => {
  const [kind, account = '', filing = ''] = String(item['pk']).split('#');
  return {
    account,
    transactionId: item['transactionId'] as string,
    state: item['state'] as string,
    month: item['month'] as string,
    currency: item['currency'] as string,
    filing: kind === 'F' ? filing : null,
    figures: getFigures(json(item['figures']) as Figures<StoredSums, string>),
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
