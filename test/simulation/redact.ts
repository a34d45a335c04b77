import { type Outcome, redactSelection } from '../../shared/cli/accounts/redact-selection.ts';
import { redactionPorts } from '../../shared/store/ledger/redaction-store.ts';
import { type Redacted, redactTransaction } from '../../shared/transactions/personal-data/redact.ts';
import type { Invocation } from './invocation.ts';

const bugs = new Set(['AssertionError', 'TypeError', 'RangeError', 'SyntaxError', '$ZodError']);

/** The result of a command of an operator. `null` if it died or gave up; throws what is a bug. */
const run = <Value>(invocation: Invocation, command: () => Promise<Value>): Promise<Value | null> =>
  invocation.run(command).catch((error: Error) => {
    if (bugs.has(error.name)) throw error;
    return null;
  });

/** An operator removes the personal data of a transaction. */
export const redact = (invocation: Invocation, account: string, id: string): Promise<Redacted | null> =>
  run(invocation, () => redactTransaction(account, id, invocation.id, redactionPorts(invocation.remainingMs)));

/** An operator removes the personal data of a customer from all transactions. */
export const redactCustomer = (invocation: Invocation, account: string, customer: string): Promise<Outcome | null> =>
  run(invocation, () => redactSelection(account, { customer }, redactionPorts(invocation.remainingMs)));
