import type { Account } from '../accounts/account.ts';
import { fitsResponse } from '../base/response-size.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { CalculationRequest } from '../calculations/request.ts';
import type { Calculation, Warning } from '../calculations/response.ts';
import { calculateWithContent } from './context.ts';
import { withoutCredit } from './credits/amounts.ts';
import { parentNotFound } from './credits/problems.ts';
import { type Ledger, type Ports, responseTooLarge } from './ports.ts';
import { expireStoredIfDue } from './transaction.ts';

/** The warning for an account that has never set its registrations. */
const registrationsMissing: Warning = {
  code: 'registrations_missing',
  message:
    'The account collects tax in every state, because its registrations are not set. Set the states where it is registered, or set `collects_in` to `every_state`, with `POST /account` or in the console.',
  pointer: null,
};

// The rows, strings and steps of a line are at most 20 KB.
const linesOfSmallResponse = 100;

/**
 * Calculates the tax on a document. A credit with a parent returns what recording that credit would store, so the
 * refunded tax equals the recorded tax. Reads the ledger only for such a credit, and customers only if the request has
 * one. Ignores the recorded credit with the id `replaces`.
 */
export const createCalculation = async (
  request: CalculationRequest,
  sent: readonly Warning[],
  { id: account, settings }: Account,
  ports: Pick<Ports, 'now' | 'loadContent' | 'customers'> & { readonly ledger: Pick<Ledger, 'find'> },
  replaces: string | null = null,
): Promise<Result<Calculation>> => {
  const base = { settings, now: ports.now() };
  const { type = 'sale', parent_transaction_id: parentId = null } = request;
  // An empty id matches no transaction.
  const parent = type !== 'credit' || parentId === null ? null : await ports.ledger.find(account, parentId);
  if (parent === undefined) return refuse(parentNotFound);
  const replaced = parent && replaces !== null ? await ports.ledger.find(account, replaces) : undefined;
  const current = parent && expireStoredIfDue(parent, base.now);
  const sale = current && replaced ? withoutCredit(current, replaced) : current;
  const calculated = await calculateWithContent(request, sale, base, { ...ports, account }, sent);
  if (!calculated.ok) return calculated;
  const { outcome } = calculated.value;
  const calculation: Calculation = {
    object: 'calculation',
    type: type ?? 'sale',
    parent_transaction_id: parentId,
    ...outcome,
    warnings: [...outcome.warnings, ...(settings.registrations === null ? [registrationsMissing] : [])],
  };
  const isLarge = outcome.line_items.length > linesOfSmallResponse;
  return isLarge && !fitsResponse(JSON.stringify(calculation))
    ? refuse(responseTooLarge(calculation))
    : accept(calculation);
};
