import { redactionPorts } from '../../shared/store/ledger/redaction-store.ts';
import { type Redacted, redactTransaction } from '../../shared/transactions/personal-data/redact.ts';
import type { Invocation } from './invocation.ts';

const bugs = new Set(['AssertionError', 'TypeError', 'RangeError', 'SyntaxError', '$ZodError']);

/** An operator removes the personal data of a transaction. `null` if the command died or gave up; throws what is a bug. */
export const redact = async (invocation: Invocation, account: string, id: string): Promise<Redacted | null> => {
  const ports = redactionPorts(invocation.remainingMs);
  return invocation
    .run(() => redactTransaction(account, id, invocation.id, ports))
    .catch((error: Error) => {
      if (bugs.has(error.name)) throw error;
      return null;
    });
};
