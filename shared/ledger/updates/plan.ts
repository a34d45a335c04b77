import { type Account, tooEarlyProblem } from '../../accounts/account.ts';
import { accept, invalidField, mapResult, type Problem, type Result, refuse } from '../../base/result.ts';
import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { recordedCertificates } from '../../calculations/certificates.ts';
import { restoreInput } from '../../calculations/echo.ts';
import { metadataAdvice, metadataMax } from '../../calculations/fields.ts';
import { crossFieldProblems } from '../../calculations/request-problems.ts';
import type { Warning } from '../../calculations/response.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { type BaseContext, calculateWithContent, type Exemptions, pinnedContext } from '../context.ts';
import { listCalculatedTaxes, withoutCredit } from '../credits/amounts.ts';
import { basisAfter } from '../credits/counters.ts';
import { withRecordedTax, withSuppliedCreditTax } from '../credits/credit.ts';
import { inheritedFields, inheritedProblem, lineFieldProblem, lineFields, shippingAlone } from '../credits/problems.ts';
import { taxDiffers } from '../new-transaction.ts';
import { redactedForm } from '../personal-data/fields.ts';
import { type Caller, notFound, otherVersion, type Ports } from '../ports.ts';
import { type TransactionUpdate, taxDecimalsProblem } from '../request.ts';
import { snapshotSettings } from '../settings-snapshot.ts';
import { replacedTax } from '../supplied-tax.ts';
import type { NextTransaction, StoredTransaction, Transaction } from '../transaction.ts';
import { type RequestedChanges, requestedChanges, updateProblems, voidReasonProblem } from './changes.ts';

/** An update and the data needed to plan it. */
type UpdateInput = {
  readonly update: TransactionUpdate;
  readonly stored: StoredTransaction;
  /** The sale of a credit. */
  readonly parent: StoredTransaction | null;
  /** The warnings about the body. */
  readonly sent: readonly Warning[];
  readonly account: Account;
  readonly base: BaseContext;
} & Pick<Ports, 'loadContent' | 'customers'>;
type Edit = UpdateInput & { readonly requested: RequestedChanges };

type CalculatedAmounts = Outcome & Pick<Transaction, 'calculated_tax_amount' | 'tax_amount_source'>;

/** The changed amounts, and the changed stored fields that they are based on. */
type Changes = {
  readonly figures: Partial<CalculatedAmounts>;
  readonly basis: Partial<Pick<StoredTransaction, 'calculatedTaxes' | 'replacedReason' | keyof Exemptions>>;
};

/**
 * Returns the totals that the edits change, or only the warnings if nothing is recalculated.
 *
 * The content is the sale's for a credit, the active content for edited inputs, and the pinned content otherwise, so
 * the amounts remain as recorded. Similarly, edited inputs use the customers' current certificates; otherwise the
 * recorded certificates apply.
 */
const figuresAfter = async (edit: Edit): Promise<Result<Changes>> => {
  const { update, stored, requested, parent, sent } = edit;
  const { transaction } = stored;
  const isEdited = requested.inputs.length > 0 || requested.tax;
  // Other credits may have reduced the sale's remainder since the draft was created.
  const mayBeStale = stored.creditOf !== null && requested.status && update.status === 'finalized';
  if (!isEdited && !mayBeStale)
    return accept({ figures: { warnings: withSent(transaction.warnings, sent) }, basis: {} });
  if (parent && transaction.status === 'finalized') return withReplacedTax(edit, parent);
  const calculated = await recalculate(edit);
  if (!calculated.ok) return calculated;
  const supplied = suppliedTax(edit);
  const { outcome: computed, exemptions } = calculated.value;
  const recorded = withRecordedTax(computed, supplied, parent);
  if (!recorded.ok) return recorded;
  const outcome = recorded.value;
  const isMoved = outcome.tax_amount !== transaction.tax_amount || outcome.total_amount !== transaction.total_amount;
  if (mayBeStale && !isEdited && isMoved)
    return refuse({
      code: 'conflict_credit_stale',
      title: 'Credit is stale',
      detail:
        'The tax of this credit changed, because the tax of its sale or of another credit changed. Send meta.tax_amount as tax_amount, or create the credit again.',
      source: { pointer: '/status' },
      meta: { tax_amount: outcome.tax_amount },
    });
  return accept({
    figures: {
      ...outcome,
      warnings: [...outcome.warnings.filter(isAboutSent(requested)), ...taxWarnings(outcome, computed, edit)],
      calculated_tax_amount: computed.tax_amount,
      tax_amount_source: supplied === null ? 'calculated' : 'provided',
    },
    basis: {
      ...exemptions,
      ...replacedTax(computed, outcome),
      ...(parent && { replacedReason: parent.replacedReason }),
    },
  });
};

// A customer that was not sent can differ from the sale's if one of the transactions was redacted.
const isAboutSent =
  (requested: RequestedChanges) =>
  (warning: Warning): boolean =>
    warning.code !== 'credit_field_ignored' || isAboutInput(requested, warning);

const isAboutInput = ({ inputs }: RequestedChanges, { pointer }: Warning): boolean =>
  inputs.some((field) => `${pointer}/`.startsWith(`/${field}/`));

// The recorded date and lines do not show how they were sent, so these warnings remain until the field changes.
const keptCodes: readonly string[] = ['tax_day_differs', 'line_amount_differs'];
const keptWarnings = ({ stored, requested }: Edit): Warning[] =>
  stored.transaction.warnings.filter((one) => keptCodes.includes(one.code) && !isAboutInput(requested, one));

/** The amounts, and the exemptions if they may have changed. */
type Recalculated = { readonly outcome: Outcome; readonly exemptions: Exemptions };

/** Recalculates a credit of a sale from the current sale, and any other transaction from its inputs. */
const recalculate = async (edit: Edit): Promise<Result<Recalculated>> => {
  const { update, stored, requested, parent, account, loadContent, customers } = edit;
  const sent = withSent(keptWarnings(edit), edit.sent);
  const isEdited = requested.inputs.length > 0;
  // Without edited inputs, the recorded certificates apply, so the amounts remain as recorded.
  const base = isEdited ? edit.base : { ...edit.base, certificates: recordedCertificates(stored) };
  type Changes = Pick<TransactionUpdate, RequestedChanges['inputs'][number]>;
  const changes = Object.fromEntries(requested.inputs.map((field) => [field, update[field]])) as Changes;
  const input = { ...restoreInput(stored.transaction), ...changes };
  const [problem, ...others] = parent ? inheritedEdits(edit, parent.transaction) : crossFieldProblems(input);
  if (problem) return refuse(problem, ...others);
  if (!parent && !isEdited) {
    const context = await pinnedContext(input, stored, base, loadContent);
    return mapResult(calculate(input, context, sent), (outcome) => ({ outcome, exemptions: {} }));
  }
  // Repeats the same kind of credit: all, the remainder, or these lines.
  const { line_items: _lines, shipping: _shipping, ...rest } = input;
  const request = parent && !isOfLines(edit) ? { ...rest, credit_remaining: stored.creditOf === 'remaining' } : input;
  const reads = { loadContent, customers, account: account.id };
  const calculated = await calculateWithContent(request, parent, base, reads, sent);
  return mapResult(calculated, ({ outcome, exemptions }) => ({
    outcome,
    exemptions: isEdited ? exemptions : {},
  }));
};

// Fields that a credit inherits from its sale cannot be edited: a different value would be ignored.
const inheritedEdits = (edit: Edit, parent: Transaction): Problem[] => {
  const { inputs } = edit.requested;
  return [
    ...inheritedFields.filter((name) => inputs.includes(name)).map((name) => inheritedProblem(name, parent)),
    ...lineFields.filter((name) => inputs.includes(name)).map(lineFieldProblem),
    ...(inputs.includes('shipping') && !isOfLines(edit) ? [shippingAlone] : []),
  ];
};

/** Whether a credit applies to specific lines after an update: it already did, or the update sends lines. */
const isOfLines = ({ update, stored, requested: { inputs } }: Edit): boolean =>
  stored.creditOf === 'lines' ||
  inputs.includes('line_items') ||
  (inputs.includes('shipping') && (update.line_items ?? null) !== null);

// Adds the warnings about the body that are not listed yet.
const withSent = (warnings: readonly Warning[], sent: readonly Warning[]): Warning[] => {
  const known = new Set(warnings.map(({ code, pointer }) => `${code} ${pointer}`));
  const added = sent.filter(({ code, pointer }) => !known.has(`${code} ${pointer}`));
  return [...warnings, ...added];
};

/**
 * Replaces the tax of a finalized credit. Its lines remain; the new tax is distributed over, and bounded by, the sale's
 * remaining tax without this credit.
 */
const withReplacedTax = ({ update, stored, sent }: Edit, parent: StoredTransaction): Result<Changes> => {
  const { transaction } = stored;
  const { calculated_tax_amount } = transaction;
  const supplied = update.tax_amount ?? null;
  const without = withoutCredit(parent, stored);
  const recorded = withSuppliedCreditTax(transaction, supplied ?? calculated_tax_amount, without);
  if (!recorded.ok) return recorded;
  const { tax_amount } = recorded.value;
  const others = withSent(transaction.warnings, sent).filter(({ code }) => code !== 'tax_amount_differs');
  const differs = tax_amount === calculated_tax_amount ? [] : [taxDiffers(recorded.value, calculated_tax_amount)];
  return accept({
    figures: {
      ...recorded.value,
      warnings: [...others, ...differs],
      tax_amount_source: supplied === null ? 'calculated' : 'provided',
    },
    basis: { calculatedTaxes: [...listCalculatedTaxes(stored)] },
  });
};

const suppliedTax = ({ update, stored: { transaction }, requested }: Edit): string | null => {
  if (update.tax_amount !== undefined) return update.tax_amount;
  return requested.inputs.length === 0 && transaction.tax_amount_source === 'provided' ? transaction.tax_amount : null;
};

const taxWarnings = (
  outcome: Outcome,
  calculated: Outcome,
  { update, stored: { transaction }, requested }: Edit,
): Warning[] => {
  if (outcome.tax_amount !== calculated.tax_amount) return [taxDiffers(outcome, calculated.tax_amount)];
  const isDropped =
    requested.inputs.length > 0 && update.tax_amount === undefined && transaction.tax_amount_source === 'provided';
  if (!isDropped) return [];
  const message = `The edit recalculated the tax and replaced the tax that was sent, ${transaction.tax_amount}.`;
  return [{ code: 'tax_amount_dropped', message, pointer: '/tax_amount' }];
};

/** The next state of a transaction, and the names of the changed fields. */
export type Plan = { readonly next: NextTransaction; readonly fields: readonly string[] };

/**
 * Plans an update: first the edits, then the status change, as one version. Returns `null` if nothing changes. Loads
 * content only if something is recalculated.
 */
export const planUpdate = async (input: UpdateInput): Promise<Result<Plan | null>> => {
  const { update, stored, parent, base, account } = input;
  const { transaction } = stored;
  const decimals = taxDecimalsProblem(update.tax_amount, update.currency ?? transaction.currency);
  const reason = voidReasonProblem(update, transaction);
  const [invalid, ...alsoInvalid] = [decimals, reason].filter((problem) => problem !== null);
  if (invalid) return refuse(invalid, ...alsoInvalid);
  const requested = requestedChanges(update, stored);
  const tooEarly = requested.inputs.includes('tax_date') && tooEarlyProblem('/tax_date', update.tax_date, account);
  if (tooEarly) return refuse(tooEarly);
  // The limit on keys also applies to the merged metadata.
  if (Object.keys(requested.values.metadata ?? {}).length > metadataMax.keys)
    return refuse(invalidField('/metadata', metadataAdvice));
  const [problem, ...others] = updateProblems(update, transaction, requested);
  if (problem) return refuse(problem, ...others);
  const fields = listFields(requested);
  if (fields.length === 0) return accept(null);
  const edit = { ...input, requested };
  const changed = await figuresAfter(edit);
  if (!changed.ok) return changed;
  const { figures: changes, basis } = changed.value;
  const at = new Date(base.now).toISOString();
  const status = update.status ?? transaction.status;
  const isConverted = changes.currency !== undefined && changes.currency !== transaction.currency;
  const zero = formatAmount(0n, minorDigits(changes.currency ?? transaction.currency));
  const next: Transaction = {
    ...transaction,
    ...changes,
    // Only a draft can change its currency. A draft has no credits, so the zeros take the new currency's decimals.
    ...(isConverted && { credited_amount: zero, credited_tax_amount: zero }),
    status,
    ...requested.values,
    updated_at: at,
    version: transaction.version + 1,
    ...(requested.status && stamps(status, at, update)),
  };
  // A credit edited with lines becomes a credit of these lines.
  const creditOf = stored.creditOf !== null && isOfLines(edit) ? 'lines' : stored.creditOf;
  // Edited inputs are recalculated with the current settings; a credit keeps its sale's settings.
  const isRebased = requested.inputs.length > 0 && parent === null;
  const settingsSnapshot = isRebased ? snapshotSettings(base.settings) : stored.settingsSnapshot;
  const creditBasis = basisAfter(stored, changes, parent);
  const internal = { ...basis, ...creditBasis, creditOf, settingsSnapshot };
  // A draft credit is recomputed from its sale, which may still have the personal data.
  const kept = next.redacted_at === undefined ? next : redactedForm(next);
  return accept({ next: { ...stored, ...internal, transaction: kept }, fields });
};

const listFields = ({ inputs, values, tax, status }: RequestedChanges): string[] => [
  ...inputs,
  ...Object.keys(values),
  ...(tax ? ['tax_amount'] : []),
  ...(status ? ['status'] : []),
];

const stamps = (status: Transaction['status'], at: string, { void_reason }: TransactionUpdate): Partial<Transaction> =>
  status === 'void' ? { voided_at: at, void_reason: void_reason ?? null } : { finalized_at: at, expires_at: null };

const otherParent = invalidField(
  '/parent_transaction_id',
  'It cannot change. Delete the transaction and create a new one.',
);

/**
 * Plans the void of a transaction that a new one replaces. Rejects what an update would reject, and any other version
 * than the one that the new transaction was built from.
 */
export const planReplacement =
  (replaced: Pick<Transaction, 'id' | 'version'>, reason: string) =>
  async (
    parent: StoredTransaction | null,
    { account }: Pick<Caller, 'account'>,
    ports: Pick<Ports, 'ledger' | 'loadContent' | 'customers' | 'now'>,
  ): Promise<Result<Plan & { readonly before: StoredTransaction }>> => {
    const before = await ports.ledger.find(account.id, replaced.id);
    if (!before) return refuse(notFound);
    const { parent_transaction_id, version, redacted_at } = before.transaction;
    if (version !== replaced.version) return refuse(otherVersion(version));
    if (parent_transaction_id !== null && parent_transaction_id !== parent?.transaction.id) return refuse(otherParent);
    const base = { settings: account.settings, now: ports.now() };
    // A redacted transaction cannot have a void_reason.
    const update = { status: 'void' as const, ...(redacted_at === undefined && { void_reason: reason }) };
    const planned = await planUpdate({ update, stored: before, parent, sent: [], account, base, ...ports });
    if (!planned.ok) return planned;
    return planned.value ? accept({ before, ...planned.value }) : refuse(otherVersion(version));
  };
