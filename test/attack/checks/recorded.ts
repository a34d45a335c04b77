import { localDay } from '../../support/local-days.ts';
import type { Book, Change, Creation } from '../book.ts';
import type { SentLine, Transaction } from '../draw.ts';
import type { FiledPeriod } from '../ledger.ts';
import { entriesOf, minor, nothing, plus, sumOf } from '../oracle.ts';
import { must, same } from '../violation.ts';

/**
 * Checks that each transaction results from the requests that were sent, and that each accepted request was applied
 * once.
 */

/** Returns the request that recorded a transaction, by its metadata, or by its reference after a redaction. */
const creationOf = (book: Book, { id, metadata, reference_id }: Transaction): Creation | undefined => {
  const { op } = metadata;
  if (op !== undefined) return book.creations.get(op);
  return [...book.creations.values()].find(
    (one) => one.id === id || (one.id === null && one.body.reference_id === (reference_id ?? '')),
  );
};

const isApplied = ({ outcome }: Change): boolean => outcome === 'accepted';
const mayBeApplied = ({ outcome }: Change): boolean => outcome === 'accepted' || outcome === 'unknown';

/** Returns the final statuses that a transaction can have after these requests. */
const statusesOf = (creation: Creation, changes: readonly Change[]): string[] => {
  const to = (status: string, isSo: typeof isApplied) =>
    changes.some((one) => one.body['status'] === status && isSo(one));
  if (to('void', isApplied)) return ['void'];
  const isFinalized = creation.body.status === 'finalized' || to('finalized', isApplied);
  const statuses = isFinalized || to('finalized', mayBeApplied) ? ['finalized', 'filed'] : [];
  // A draft becomes void when it expires.
  return [...statuses, ...(isFinalized ? [] : ['draft', 'void']), ...(to('void', mayBeApplied) ? ['void'] : [])];
};

/** Returns the tax day of a `tax_date`: a date unchanged, or a timestamp's day in the account's time zone. */
const taxDayOf = (taxDate: string, timeZone: string): string =>
  taxDate.length === 10 ? taxDate : localDay(Date.parse(taxDate), timeZone);

const lineOf = ({ quantity, unit_price, id }: SentLine) => ({ quantity, unit_price, id });

/** The lines and the day must match the request, or a change of the draft. */
const checkContent = (book: Book, transaction: Transaction, creation: Creation, changes: readonly Change[]): void => {
  const applied = [creation, ...changes.filter(mayBeApplied)];
  const days = applied.flatMap(({ body }) => (body['tax_date' as never] as string | undefined) ?? []);
  const { time_zone } = book.settings;
  const day = transaction.tax_date.slice(0, 10);
  must(
    days.some((one) => taxDayOf(one, time_zone) === day),
    `The tax day of ${transaction.id} was never sent.`,
    { day, days, time_zone },
  );
  const sent = applied.flatMap(({ body }) => {
    const lines = body['line_items' as never] as readonly SentLine[] | undefined;
    return lines ? [lines.map(lineOf)] : [];
  });
  if (creation.parent !== null) return;
  const lines = transaction.line_items.map(({ quantity, unit_price, id }) => ({
    quantity,
    unit_price: unit_price ?? '',
    id,
  }));
  must(
    sent.some((some) => JSON.stringify(some.map(lineOf)) === JSON.stringify(lines.map(lineOf))),
    `The lines of ${transaction.id} were never sent.`,
    { lines, sent },
  );
};

/** Each accepted change marked the metadata, and no refused change did. */
const checkMetadata = ({ id, metadata, redacted_at }: Transaction, changes: readonly Change[]): void => {
  if (redacted_at !== undefined) {
    same(metadata, {}, `The redacted ${id} has metadata.`);
    return;
  }
  for (const { name, body, outcome } of changes) {
    if (body['metadata'] === undefined || outcome === 'unknown') continue;
    same(
      metadata[`by ${name}`] === 'yes',
      outcome === 'accepted',
      `The ${outcome} change ${name} of ${id} is wrong.`,
      metadata,
    );
  }
  const known = new Set(['op', ...changes.map(({ name }) => `by ${name}`)]);
  same(
    Object.keys(metadata).filter((key) => !known.has(key)),
    [],
    `The metadata of ${id} was never sent.`,
  );
};

const checkVersions = (book: Book, transaction: Transaction): void => {
  const { id, version } = transaction;
  for (const key of book.versions.keys()) {
    const [of, number] = key.split(' ');
    must(of !== id || Number(number) <= version, `An answer had a newer version of ${id} than it has now.`, {
      key,
      version,
    });
  }
};

/** Whether two decimals are equal, with any number of zeros at the end. */
const isSameAmount = (a: string, b: string): boolean => {
  const plain = (text: string) => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return plain(a) === plain(b);
};

/** The tax is a sent tax or the calculated tax. */
const checkTax = (
  { id, tax_amount, tax_amount_source, calculated_tax_amount }: Transaction,
  sent: readonly unknown[],
) => {
  if (tax_amount_source === 'calculated')
    return same(tax_amount, calculated_tax_amount, `The tax of ${id} is another one.`);
  const isSent = sent.some((one) => typeof one === 'string' && isSameAmount(one, tax_amount));
  must(isSent, `The tax of ${id}, ${tax_amount}, was never sent.`, sent);
};

const checkOne = (book: Book, transaction: Transaction): Creation => {
  const { id, status } = transaction;
  const creation = creationOf(book, transaction);
  if (!creation) {
    must(false, `No request of this account recorded ${id}.`, transaction);
    throw new Error();
  }
  must(
    creation.outcome === 'accepted' || creation.outcome === 'unknown',
    `A refused request recorded ${id}.`,
    creation,
    transaction,
  );
  if (creation.id !== null) same(id, creation.id, `${creation.name} is recorded twice.`);
  const changes = book.changes.get(id) ?? [];
  const statuses = statusesOf(creation, changes);
  must(statuses.includes(status), `${id} is ${status}, not ${statuses.join(' or ')}.`, creation, changes);
  if (transaction.type === 'sale') {
    same(transaction.reference_id, creation.body.reference_id ?? null, `${id} has another reference.`);
    same(transaction.currency, creation.body.currency, `${id} has another currency.`);
  }
  checkContent(book, transaction, creation, changes);
  checkMetadata(transaction, changes);
  checkVersions(book, transaction);
  const taxes = [creation.body.tax_amount, ...changes.filter(mayBeApplied).map(({ body }) => body['tax_amount'])];
  checkTax(transaction, taxes);
  return creation;
};

/** No two transactions that are not void have the same reference. */
const checkReferences = (transactions: readonly Transaction[]): void => {
  const live = transactions.filter(({ status, reference_id }) => status !== 'void' && reference_id !== null);
  for (const [reference, some] of Map.groupBy(live, ({ reference_id }) => reference_id))
    same(
      some.length,
      1,
      `Several live transactions have the reference ${reference}.`,
      some.map(({ id }) => id),
    );
};

/** After redaction, no customer data remains in transactions or filing entries. */
export const checkRedacted = (book: Book, transactions: readonly Transaction[], everything: unknown): void => {
  const text = JSON.stringify(everything);
  for (const customer of book.redacted) must(!text.includes(`"${customer}"`), `${customer} is still named.`);
  for (const { id, redacted_at } of transactions) {
    const creation = [...book.creations.values()].find((one) => one.id === id);
    const isNamed = book.redacted.has(creation?.body.customer?.id ?? '');
    must(!isNamed || redacted_at !== undefined, `${id} is not redacted.`, creation);
  }
};

export const checkRecorded = (book: Book, transactions: readonly Transaction[]): void => {
  const found = new Map<Creation, string>();
  for (const transaction of transactions) {
    const creation = checkOne(book, transaction);
    must(!found.has(creation), `${creation.name} is recorded twice.`, [found.get(creation), transaction.id]);
    found.set(creation, transaction.id);
  }
  for (const creation of book.creations.values())
    if (creation.outcome === 'accepted')
      same(found.get(creation), creation.id, `The accepted ${creation.name} is lost.`, creation);
  checkReferences(transactions);
};

const amountsOf = (transaction: Transaction) => {
  const units = (text: string) => minor(transaction.currency, text);
  const { line_items, shipping } = transaction;
  const charges = [shipping ?? []].flat();
  return { units, line_items, charges };
};

/** The parts of a transaction add up: rows to lines, lines to the document. */
export const checkSums = (transaction: Transaction): void => {
  const { id } = transaction;
  const { units, line_items, charges } = amountsOf(transaction);
  for (const { quantity, unit_price, amount, net_amount, applied_discount_amount, id: line } of line_items) {
    const price = BigInt(quantity) * units(unit_price ?? '0');
    if (transaction.type === 'sale') same(units(amount), price, `${line} of ${id} has another amount.`);
    same(units(net_amount), units(amount) - units(applied_discount_amount), `${line} of ${id} has another net amount.`);
  }
  for (const { taxes, tax_amount, net_amount, id: charge } of [...line_items, ...charges]) {
    same(
      sumOf(taxes.map((row) => units(row.tax_amount))),
      units(tax_amount),
      `The taxes of ${charge} of ${id} do not add up.`,
      taxes,
    );
    const rows = taxes.filter(({ tax_type }) => tax_type !== 'fee');
    for (const [code, some] of Map.groupBy(rows, ({ jurisdiction_code }) => jurisdiction_code)) {
      const gross = sumOf(some.map((row) => units(row.taxable_amount) + units(row.exempt_amount)));
      must(gross === units(net_amount) || charges.length > 0, `${code} of ${charge} of ${id} has another gross.`, some);
    }
  }
  const sum = (field: 'tax_amount' | 'net_amount') =>
    sumOf([...line_items, ...charges].map((one) => units(one[field])));
  same(sum('tax_amount'), units(transaction.tax_amount), `The taxes of ${id} do not add up.`);
  same(
    sum('net_amount') + units(transaction.tax_amount),
    units(transaction.total_amount),
    `The total of ${id} is wrong.`,
  );
  const summary = sumOf(transaction.tax_summary.map((row) => units(row.tax_amount)));
  same(summary, units(transaction.tax_amount), `The tax summary of ${id} does not add up.`);
};

/** Refunds never exceed their sale, and a full refund leaves no amount in any state. */

export const isLive = ({ status }: Transaction): boolean => status === 'finalized' || status === 'filed';

/** The credits that are not void, by the id of their sale. */
const creditsBySale = (transactions: readonly Transaction[]): Map<string, Transaction[]> =>
  Map.groupBy(
    transactions.filter((one) => one.parent_transaction_id !== null && isLive(one)),
    ({ parent_transaction_id }) => parent_transaction_id as string,
  );

const netOf = ({ currency, total_amount, tax_amount }: Transaction): bigint =>
  minor(currency, total_amount) - minor(currency, tax_amount);

const checkSale = (sale: Transaction, credits: readonly Transaction[]): void => {
  const { id, currency, refund_status } = sale;
  const [net, tax] = [sumOf(credits.map(netOf)), sumOf(credits.map((one) => minor(currency, one.tax_amount)))];
  same(minor(currency, sale.credited_amount), net, `The credited amount of ${id} is not that of its credits.`, credits);
  same(minor(currency, sale.credited_tax_amount), tax, `The credited tax of ${id} is not that of its credits.`);
  must(net <= netOf(sale) && tax <= minor(currency, sale.tax_amount), `More than ${id} is credited.`, credits);
  const isFull = net === netOf(sale) && tax === minor(currency, sale.tax_amount);
  const expected = net === 0n && tax === 0n && !(isFull && credits.length > 0) ? 'none' : isFull ? 'full' : 'partial';
  same(refund_status, expected, `The refund status of ${id} is wrong.`, credits);
  if (expected !== 'full') return;
  const sums = [sale, ...credits].flatMap((one) => entriesOf(one, sale));
  for (const [state, entries] of Map.groupBy(sums, (entry) => entry.state)) {
    const { gross, taxable, tax: left } = entries.map(({ whole }) => whole).reduce(plus, nothing);
    same([gross, taxable, left].map(String), ['0', '0', '0'], `The refunds of ${id} leave something in ${state}.`);
    const codes = entries.flatMap(({ rates }) => [...rates]);
    for (const [key, rates] of Map.groupBy(codes, ([code]) => code)) {
      const sum = rates.map(([, one]) => one).reduce(plus, nothing);
      same(
        [sum.gross, sum.taxable, sum.tax].map(String),
        ['0', '0', '0'],
        `The refunds of ${id} leave something in ${key}.`,
      );
    }
  }
};

export const checkCredits = (transactions: readonly Transaction[]): void => {
  const credits = creditsBySale(transactions);
  for (const sale of transactions)
    if (sale.type === 'sale') {
      const own = credits.get(sale.id) ?? [];
      must(own.length === 0 || isLive(sale), `${sale.id} is ${sale.status} and has credits.`, own);
      checkSale(sale, own);
    }
};

/** The entries of a fully refunded sale add up to zero in every state, for each amount of the returns. */

const figures = [
  ...(['gross_amount', 'exempt_amount', 'taxable_amount', 'tax_amount'] as const),
  ...(['not_covered_amount', 'calculated_tax_amount', 'over_collected_amount'] as const),
] as const;

export const checkRefunds = (filings: readonly FiledPeriod[], transactions: readonly Transaction[]): void => {
  const credits = creditsBySale(transactions);
  for (const { id, currency, refund_status } of transactions) {
    if (refund_status !== 'full') continue;
    const family = new Set([id, ...(credits.get(id) ?? []).map((one) => one.id)]);
    for (const [state, some] of Map.groupBy(filings, (filing) => filing.state)) {
      const members = some.flatMap((filing) => filing.members.filter((one) => family.has(one.transaction_id)));
      const amounts = members.flatMap((one) => one.amounts);
      const left = figures.filter((name) => sumOf(amounts.map((one) => minor(currency, one[name]))) !== 0n);
      same(left, [], `The returns of ${state} keep something of ${id}, which is refunded in full.`, members);
    }
  }
};
