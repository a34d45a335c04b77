import type { Settings } from '../accounts/account.ts';
import { isObjectOrArray } from '../base/json.ts';
import { accept, mapResult, type Result, refuse } from '../base/result.ts';
import { calculate, engineVersion, type Outcome } from '../calculations/calculate.ts';
import { recordedCertificates } from '../calculations/certificates.ts';
import type { Context } from '../calculations/document.ts';
import { restoreInput } from '../calculations/echo.ts';
import { listAddresses } from '../calculations/locate-lines.ts';
import { calculationResponseFields, type ResponseFields } from '../calculations/response-fields.ts';
import type { LoadContent } from '../catalog/content.ts';
import { ReleaseNotFound } from '../catalog/loading/content-errors.ts';
import type { TaxAddress } from '../catalog/location/address.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import { saleAsOf } from './credits/counters.ts';
import { buildCredit, withRecordedTax, withSuppliedCreditTax } from './credits/credit.ts';
import { type Ledger, notFound } from './ports.ts';
import type { Replay, ReplayDifference } from './response.ts';
import type { CreditBasis, SaleState } from './settings-snapshot.ts';
import { replacedTax, withSuppliedTax } from './supplied-tax.ts';
import { expireStoredIfDue, type StoredTransaction, type Transaction } from './transaction.ts';

/** Response fields that are not computed values: engine identification and free text. */
const { object: _o, engine_version: _e, warnings: _w, explanation: _x, ...computed } = calculationResponseFields;

/** All computed fields of a transaction. */
type ReplayTotals = Pick<Transaction, keyof typeof computed | 'calculated_tax_amount'>;

const figureFields: ResponseFields = { ...computed, calculated_tax_amount: true };

const toText = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));

/** Escapes a key for a JSON Pointer (RFC 6901). */
const segment = (key: string) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const namesIn = (recorded: unknown, replayed: unknown): string[] => [
  ...new Set([recorded, replayed].flatMap((value) => (isObjectOrArray(value) ? Object.keys(value) : []))),
];

const compare = (
  recorded: unknown,
  replayed: unknown,
  fields: ResponseFields | true,
  pointer: string,
): ReplayDifference[] => {
  if (!isObjectOrArray(recorded) && !isObjectOrArray(replayed)) {
    const texts = { recorded: toText(recorded), replayed: toText(replayed) };
    return texts.recorded === texts.replayed ? [] : [{ pointer, ...texts }];
  }
  const isList = Array.isArray(recorded) || Array.isArray(replayed);
  return namesIn(recorded, replayed).flatMap((name) => {
    const below = fields === true || isList ? fields : Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (below === undefined) return [];
    const inner = (value: unknown) => (isObjectOrArray(value) && Object.hasOwn(value, name) ? value[name] : null);
    return compare(inner(recorded), inner(replayed), below, `${pointer}${segment(name)}`);
  });
};

/** Lists every computed value that differs from the recorded one, leaf by leaf, in the field order of the transaction. */
const listDifferences = (recorded: ReplayTotals, replayed: ReplayTotals): ReplayDifference[] =>
  compare(recorded, replayed, figureFields, '');

/** Returns the stored inputs of a transaction without `explain`, which does not affect any amount. */
const restoreInputs = (transaction: Transaction) => ({ ...restoreInput(transaction), explain: false });

const recorded = (outcome: Outcome, calculated: Outcome): ReplayTotals => ({
  ...outcome,
  calculated_tax_amount: calculated.tax_amount,
});

const suppliedTax = ({ tax_amount, tax_amount_source }: Transaction): string | null =>
  tax_amount_source === 'provided' ? tax_amount : null;

/** Recalculates a sale, or a credit without a sale, from its stored inputs. A supplied tax is distributed again. */
const replaySale = ({ transaction }: StoredTransaction, context: Context): Result<ReplayTotals> => {
  const calculated = calculate(restoreInputs(transaction), context, []);
  if (!calculated.ok) return calculated;
  const taxed = withRecordedTax(calculated.value, suppliedTax(transaction), null);
  return mapResult(taxed, (outcome) => recorded(outcome, calculated.value));
};

type ReplayedCredit = {
  readonly stored: StoredTransaction;
  readonly basis: CreditBasis;
  readonly sale: StoredTransaction;
  /** The credit's context, which is the same as its sale's. */
  readonly context: Context;
};

/** Recomputes a credit from its sale's state at the time. */
const replayCredit = ({ stored, basis, sale, context }: ReplayedCredit): Result<ReplayTotals> => {
  const { transaction, creditOf: kind } = stored;
  const found = replaySaleAsOf(sale, basis.figures, context);
  if (!found.ok) return found;
  const { line_items, shipping, ...others } = restoreInputs(transaction);
  const request = kind === 'lines' ? { ...others, line_items, shipping } : others;
  const credit = buildCredit(found.value, { ...request, credit_remaining: kind === 'remaining' }, context, []);
  if (!credit.ok) return credit;
  const calculated = credit.value.outcome;
  const taxed = basis.tax
    ? retaxed(calculated, transaction.tax_amount, replaySaleAsOf(sale, basis.tax, context))
    : withRecordedTax(calculated, suppliedTax(transaction), found.value);
  return mapResult(taxed, (outcome) => recorded(outcome, calculated));
};

// Returns the sale in the given state. If its tax was replaced since, distributes the former tax again.
const replaySaleAsOf = (sale: StoredTransaction, state: SaleState, context: Context): Result<StoredTransaction> => {
  if (sale.transaction.tax_amount === state.tax_amount) return accept(saleAsOf(sale, state));
  const certificates = recordedCertificates(sale);
  const calculated = calculate(restoreInputs(sale.transaction), { ...context, certificates }, []);
  if (!calculated.ok) return calculated;
  const recorded = withSuppliedTax(calculated.value, state.tax_amount);
  const { line_items, shipping, tax_amount, total_amount } = recorded;
  const transaction = { ...sale.transaction, line_items, shipping, tax_amount, total_amount };
  return accept(saleAsOf({ ...sale, ...replacedTax(calculated.value, recorded), transaction }, state));
};

/** Replaces a credit's tax as an update does: distributes it again even if the amount is unchanged. */
const retaxed = (calculated: Outcome, tax: string, sale: Result<StoredTransaction>): Result<Outcome> => {
  if (!sale.ok) return sale;
  const without = withSuppliedCreditTax(calculated, formatAmount(0n, minorDigits(calculated.currency)), sale.value);
  const before = calculated.tax_amount === tax ? without : accept(calculated);
  return before.ok ? withSuppliedCreditTax(before.value, tax, sale.value) : before;
};

/** The ports of a replay, which stores nothing. */
type ReplayPorts = {
  readonly ledger: Pick<Ledger, 'find'>;
  readonly loadContent: LoadContent;
  readonly now: () => number;
};

type Account = { readonly id: string; readonly settings: Settings };

const differencesMax = 100;

/**
 * Recalculates a recorded transaction with the current engine, from its pinned releases and settings, its tax date and
 * its inputs, and compares every computed value. A credit of a sale is recomputed from the sale's state at the time,
 * which takes one more read.
 *
 * Rejects an unknown id with `not_found`. If a replay is impossible, `match` is null and `reason` explains why.
 */
export const replayTransaction = async (id: string, account: Account, ports: ReplayPorts): Promise<Result<Replay>> => {
  const found = await ports.ledger.find(account.id, id);
  if (!found) return refuse(notFound);
  const stored = expireStoredIfDue(found, ports.now());
  const { transaction, creditOf, creditBasis: basis } = stored;
  const impossible = (reason: NonNullable<Replay['reason']>, detail: string) =>
    accept({ ...buildReplay(transaction, []), match: null, reason, detail });
  const parentId = creditOf === null ? null : transaction.parent_transaction_id;
  const sale = parentId === null ? null : await ports.ledger.find(account.id, parentId);
  if ([stored, sale].some((known) => known?.transaction.redacted_at !== undefined))
    return impossible(
      'redacted',
      'Its address was removed with the personal data, so the amounts cannot be recalculated. They are as recorded.',
    );
  const context = await recordedContext(stored, sale ?? null, account.settings, ports);
  if (context instanceof ReleaseNotFound)
    return impossible('release_not_found', `The content no longer has ${context.release}.`);
  if (sale === undefined || (sale && !basis))
    return impossible('parent_not_known', 'The state of the sale that this credit was computed from was not stored.');
  const replayed = sale && basis ? replayCredit({ stored, basis, sale, context }) : replaySale(stored, context);
  if (replayed.ok) return accept(buildReplay(transaction, listDifferences(transaction, replayed.value)));
  const titles = replayed.problems.map(({ title }) => title).join('; ');
  return impossible('refused', `The current engine rejects it: ${titles}.`);
};

/** Loads the original context of a transaction without any active content. Returns the error of a missing release. */
const recordedContext = async (
  stored: StoredTransaction,
  sale: StoredTransaction | null,
  account: Settings,
  { loadContent, now }: ReplayPorts,
): Promise<Context | ReleaseNotFound> => {
  const { transaction, settingsSnapshot } = stored;
  const settings = { ...account, ...settingsSnapshot };
  const { content_releases } = transaction;
  // Active content is not used: a place that had no content at the time has none in the replay.
  const isPinned = ({ state }: TaxAddress) => Object.hasOwn(content_releases, `US-${state}`);
  const documents = sale ? [transaction, sale.transaction] : [transaction];
  const addresses = documents.flatMap((document) => listAddresses(document, settings)).filter(isPinned);
  try {
    const found = await loadContent(addresses, content_releases);
    return {
      settings,
      now: now(),
      certificates: recordedCertificates(stored),
      releaseFor: (address) => (isPinned(address) ? found(address) : undefined),
    };
  } catch (error) {
    if (error instanceof ReleaseNotFound) return error;
    throw error;
  }
};

const buildReplay = (transaction: Transaction, differences: readonly ReplayDifference[]): Replay => ({
  object: 'replay',
  id: transaction.id,
  version: transaction.version,
  match: differences.length === 0,
  reason: null,
  detail: null,
  engine_version: transaction.engine_version,
  replayed_engine_version: engineVersion,
  content_releases: transaction.content_releases,
  difference_count: differences.length,
  differences: differences.slice(0, differencesMax),
});
