import type { Account } from '../accounts/account.ts';
import { calculate, type Outcome } from '../calculations/calculate.ts';
import type { CalculationRequest } from '../calculations/request.ts';
import type { Calculation } from '../calculations/response.ts';
import { accept, type Result, refuse } from '../result.ts';
import { currentContext, pinnedContext } from './context.ts';
import { parentNotFound } from './credits/admission.ts';
import { creditOf } from './credits/credit.ts';
import { unmatchedInput } from './credits/unmatched.ts';
import type { Ledger } from './ledger.ts';
import { storedAsOf } from './lifecycle.ts';
import type { Ports } from './ports.ts';

/**
 * Calculate the tax of a document (interface decisions 2). A credit with a parent returns what that credit would record, so
 * that the refunded tax equals the recorded one. Reads the ledger in that case only.
 */
export const createCalculation = async (
  request: CalculationRequest,
  unknownFields: readonly string[],
  { id: account, settings }: Account,
  ports: Pick<Ports, 'now' | 'loadContent'> & { readonly ledger: Pick<Ledger, 'find'> },
): Promise<Result<Calculation>> => {
  const around = { settings, now: ports.now() };
  const parentId = request.parent_transaction_id;
  // An empty id matches no transaction.
  if (request.type !== 'credit' || parentId === undefined || parentId === null) {
    const context = await currentContext(request, around, ports.loadContent);
    const calculated = calculate(request, context, unknownFields);
    return calculated.ok ? accept(answer(request, calculated.value)) : calculated;
  }
  const parent = await ports.ledger.find(account, parentId);
  if (!parent) return refuse(parentNotFound);
  const context = await pinnedContext(unmatchedInput(parent.transaction, request), parent, around, ports.loadContent);
  const credit = creditOf(storedAsOf(parent, context.now), request, context, unknownFields);
  return credit.ok ? accept(answer(request, credit.value.outcome)) : credit;
};

const answer = (request: CalculationRequest, outcome: Outcome): Calculation => ({
  object: 'calculation',
  type: request.type ?? 'sale',
  parent_transaction_id: request.parent_transaction_id ?? null,
  ...outcome,
});
