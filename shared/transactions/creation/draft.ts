import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { currentContext, pinnedContext } from '../context.ts';
import { creditOf } from '../credits/credit.ts';
import { withSuppliedCreditTax } from '../credits/supplied-credit-tax.ts';
import { unmatchedInput } from '../credits/unmatched.ts';
import { newTransaction } from '../new-transaction.ts';
import { pinnedOf } from '../pinned.ts';
import type { Caller, CreatePorts } from '../ports.ts';
import { newBasis } from '../replay/basis.ts';
import type { TransactionRequest } from '../request.ts';
import { taxDecimalsProblem } from '../request-problems.ts';
import { withSuppliedTax } from '../supplied-tax.ts';
import type { StoredTransaction } from '../transaction.ts';

type DraftInput = { readonly request: TransactionRequest; readonly unknownFields: readonly string[] };

type Figures = {
  readonly outcome: Outcome;
  readonly calculatedTax: string;
  readonly kind: StoredTransaction['creditOf'];
};

const figuresOf = async (
  { request, unknownFields }: DraftInput,
  parent: StoredTransaction | null,
  { account: { settings } }: Caller,
  ports: CreatePorts,
): Promise<Result<Figures>> => {
  const around = { settings, now: ports.now() };
  const supplied = request.tax_amount ?? null;
  if (parent) {
    const decimals = taxDecimalsProblem(supplied, parent.transaction.currency);
    if (decimals) return refuse(decimals);
    const input = unmatchedInput(parent.transaction, request);
    const context = await pinnedContext(input, parent, around, ports.loadContent);
    const credit = creditOf(parent, request, context, unknownFields);
    if (!credit.ok) return credit;
    const { outcome, kind } = credit.value;
    const recorded = supplied === null ? accept(outcome) : withSuppliedCreditTax(outcome, supplied, parent);
    return recorded.ok ? accept({ outcome: recorded.value, calculatedTax: outcome.tax_amount, kind }) : recorded;
  }
  const context = await currentContext(request, around, ports.loadContent);
  const calculated = calculate(request, context, unknownFields);
  if (!calculated.ok) return calculated;
  const outcome = supplied === null ? calculated.value : withSuppliedTax(calculated.value, supplied);
  return accept({ outcome, calculatedTax: calculated.value.tax_amount, kind: null });
};

/** The new transaction of a request with its figures. A credit's figures are computed from its sale. */
export const draft = async (
  input: DraftInput,
  parent: StoredTransaction | null,
  caller: Caller,
  ports: CreatePorts,
): Promise<Result<StoredTransaction>> => {
  const figures = await figuresOf(input, parent, caller, ports);
  if (!figures.ok) return figures;
  const { outcome, calculatedTax, kind } = figures.value;
  const { settings } = caller.account;
  // A credit of a sale has the sale's settings.
  const basis = { creditOf: kind, ...newBasis(parent), pinned: parent?.pinned ?? pinnedOf(settings) };
  return accept(newTransaction(input.request, outcome, calculatedTax, basis, settings.draft_ttl_hours, ports));
};
