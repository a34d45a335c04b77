import { creditableFaults, faultText, overCreditFaults, refundFaults } from '../../../shared/ledger/invariants.ts';
import type { Item } from '../../support/memory-database.ts';
import { listCharges } from '../../support/sales.ts';
import { cents, type Entry, getEntry, getHead, getKind, type Head, sum } from './decode.ts';
import type { Book, Change } from './ledger.ts';

const isFinal = ({ status }: Head) => status === 'finalized' || status === 'filed';

/** The credited amounts of a credit, by line or shipping charge of its sale. */
const takenBy = (credit: Head, sale: Head) =>
  listCharges(credit.transaction).map((charge) => {
    const named = 'parent_line_item_id' in charge ? charge.parent_line_item_id : null;
    return {
      of: listCharges(sale.transaction).find(({ id }) => id === (named ?? charge.id))?.id ?? null,
      net: cents(charge.net_amount),
      tax: cents(charge.tax_amount),
    };
  });

type Share = { readonly net: number; readonly tax: number };
const added = (shares: readonly Share[]): Share => ({
  net: sum(shares.map(({ net }) => net)),
  tax: sum(shares.map(({ tax }) => tax)),
});
const isSame = (a: Share, b: Share) => a.net === b.net && a.tax === b.tax;
const leftAfter = (whole: Share, live: Share) => ({
  net: BigInt(whole.net - live.net),
  tax: BigInt(whole.tax - live.tax),
});
const text = ({ net, tax }: Share) => `${net}+${tax}`;

/** Returns violations of a sale: more credited than sold, or counters that differ from its credits. */
const ofSale = (sale: Head, credits: readonly Head[]): string[] => {
  const wrong: string[] = [];
  const left: [string, ReturnType<typeof leftAfter>][] = [];
  const taken = credits.flatMap((credit) => takenBy(credit, sale));
  const compare = (what: string, live: Share, counted: Share, whole: Share) => {
    if (!isSame(live, counted))
      wrong.push(`${what} of ${sale.id}: credits are ${text(live)}, counted ${text(counted)}`);
    left.push([what, leftAfter(whole, live)]);
  };
  for (const charge of listCharges(sale.transaction)) {
    const counted = sale.credited.charges.get(charge.id) ?? added([]);
    compare(charge.id, added(taken.filter(({ of }) => of === charge.id)), counted, {
      net: cents(charge.net_amount),
      tax: cents(charge.tax_amount),
    });
  }
  const total = added(taken);
  const { transaction } = sale;
  const whole = {
    net: cents(transaction.total_amount) - cents(transaction.tax_amount),
    tax: cents(transaction.tax_amount),
  };
  compare(
    'total',
    total,
    { net: cents(transaction.credited_amount), tax: cents(transaction.credited_tax_amount) },
    whole,
  );
  // Credits of all goods return the whole calculated tax, regardless of the recorded tax.
  const { calculated, unmatched } = sale.credited;
  const isReturned = total.net === whole.net && unmatched.net === 0;
  if (isReturned && calculated !== null && calculated !== cents(transaction.calculated_tax_amount))
    wrong.push(`calculated tax of ${sale.id}: credits are ${calculated} of ${transaction.calculated_tax_amount}`);
  const faults = [
    ...overCreditFaults(left, String),
    ...creditableFaults(transaction, credits.length),
    ...refundFaults(transaction, isSame(total, added([])), isSame(total, whole)),
  ];
  return [...wrong, ...faults.map((fault) => `${sale.id}: ${faultText(fault)}`)];
};

const add = (owed: Map<string, number>, name: string, gross: number, tax: number): void => {
  owed.set(`${name} gross`, (owed.get(`${name} gross`) ?? 0) + gross);
  owed.set(`${name} tax`, (owed.get(`${name} tax`) ?? 0) + tax);
};

const getState = ({ jurisdiction_code: code }: { readonly jurisdiction_code: string }) => code.slice(0, 5);

/**
 * Returns the states with an entry: where the account was ever registered, where tax was recorded, and where the sale
 * of a credit has an entry.
 */
const postedStates = (head: Head, sale: Head | undefined): readonly string[] => {
  const { registrations: listed } = head;
  const ofSale = sale && head !== sale ? postedStates(sale, undefined) : [];
  const rows = Map.groupBy(
    listCharges(head.transaction).flatMap(({ taxes }) => taxes),
    getState,
  );
  return [...rows].flatMap(([state, taxes]) => {
    const isRegistered = Array.isArray(listed)
      ? listed.some((one) => `US-${one.state}` === state)
      : taxes.some((row) => row.taxability_reason !== 'not_collecting');
    const isRecorded = taxes.some((row) => cents(row.tax_amount) > 0 || row.taxability_reason === 'over_collected');
    return isRegistered || isRecorded || ofSale.includes(state) ? [state] : [];
  });
};

/**
 * The gross and the tax of a finalized transaction: by state, jurisdiction and rate, in cents; the amounts of a credit
 * are negative.
 */
const owedBy = (head: Head, sale: Head | undefined): Map<string, number> => {
  const owed = new Map<string, number>();
  if (!isFinal(head)) return owed;
  const { type, tax_date } = head.transaction;
  const posted = postedStates(head, sale);
  for (const { taxes } of listCharges(head.transaction))
    for (const row of taxes.filter((one) => posted.includes(getState(one)))) {
      const { jurisdiction_code, rate, tax_amount, taxable_amount, exempt_amount } = row;
      const sign = type === 'credit' ? -1 : 1;
      const gross = cents(taxable_amount) + cents(exempt_amount);
      add(owed, `${tax_date.slice(0, 7)} ${jurisdiction_code} ${rate}`, sign * gross, sign * cents(tax_amount));
    }
  return owed;
};

const owedIn = (entries: readonly Entry[]): Map<string, number> => {
  const owed = new Map<string, number>();
  for (const { month, figures } of entries)
    for (const { jurisdiction_code, rate, gross, tax } of figures.amounts)
      add(owed, `${month} ${jurisdiction_code} ${rate}`, gross, tax);
  return owed;
};

/** Returns what remains of a sale in the return of each state after its credits, in cents. */
const leftIn = (entries: readonly Entry[]): string[] => {
  const states = Map.groupBy(entries, ({ state }) => state);
  return [...states].flatMap(([state, ofState]) => {
    const gross = sum(ofState.map(({ figures }) => figures.base.gross));
    const tax = sum(ofState.flatMap(({ figures }) => figures.amounts.map((row) => row.tax)));
    return gross === 0 && tax === 0 ? [] : [`${state} keeps ${text({ net: gross, tax })}`];
  });
};

const inWords = (owed: ReadonlyMap<string, number>) => JSON.stringify([...owed].sort());

/** Checks credits and liabilities at every step: within the sale, counted correctly, and owed exactly once. */
export class MoneyBook implements Book {
  readonly #heads = new Map<string, Head>();
  readonly #entries = new Map<string, Map<string, Item>>();

  step(changes: readonly Change[]): string[] {
    const sales = new Set<string>();
    const touched = new Set<string>();
    for (const { name, version, before } of changes) {
      const kind = getKind(name);
      if (kind === 'head') {
        const head = getHead(version.item as Item);
        const id = `${head.account} ${head.id}`;
        this.#heads.set(id, head);
        touched.add(id);
        const { parent_transaction_id: parent } = head.transaction;
        sales.add(parent === null ? id : `${head.account} ${parent}`);
      } else if (kind === 'entry') {
        const { account, transactionId } = getEntry((version.item ?? before?.item) as Item);
        const id = `${account} ${transactionId}`;
        const entries = this.#entries.get(id) ?? new Map<string, Item>();
        this.#entries.set(id, entries);
        if (version.item) entries.set(name, version.item);
        else entries.delete(name);
        touched.add(id);
      }
    }
    const ofSales = [...sales].flatMap((id) => [...this.#sale(id), ...this.#refund(id)]);
    return [...ofSales, ...[...touched].flatMap((id) => this.#liabilities(id))];
  }

  #sale(id: string): string[] {
    const sale = this.#heads.get(id);
    if (!sale) return [`${id} is a missing parent`];
    if (sale.transaction.type !== 'sale') return [];
    const credits = [...this.#heads.values()].filter(
      (head) => head.account === sale.account && head.transaction.parent_transaction_id === sale.id && isFinal(head),
    );
    return credits.length === 0 && sale.item['credited'] === undefined && sale.transaction.refund_status === 'none'
      ? []
      : ofSale(sale, credits);
  }

  #listEntries(id: string): readonly Entry[] {
    return [...(this.#entries.get(id)?.values() ?? [])].map(getEntry);
  }

  /** After a full refund, no state's return includes any amount of the sale. */
  #refund(id: string): string[] {
    const sale = this.#heads.get(id);
    // An unmatched line may be in a different state.
    if (sale?.transaction.refund_status !== 'full' || sale.credited.unmatched.net > 0) return [];
    const credits = [...this.#heads].filter(
      ([, head]) => head.account === sale.account && head.transaction.parent_transaction_id === sale.id,
    );
    const entries = [id, ...credits.map(([credit]) => credit)].flatMap((of) => this.#listEntries(of));
    return leftIn(entries).map((words) => `${id} is refunded, and the return of ${words}`);
  }

  #liabilities(id: string): string[] {
    const head = this.#heads.get(id);
    const entries = this.#listEntries(id);
    if (!head) return [`${id} has liabilities but does not exist`];
    const sale = this.#heads.get(`${head.account} ${head.transaction.parent_transaction_id}`);
    const [owed, written] = [inWords(owedBy(head, sale)), inWords(owedIn(entries))];
    const wrong = owed === written ? [] : [`${id} is ${head.status} and owes ${owed}, but its entries say ${written}`];
    if (new Set(entries.map(({ state, month }) => `${state} ${month}`)).size < entries.length)
      wrong.push(`${id} has a liability twice`);
    return wrong;
  }
}
