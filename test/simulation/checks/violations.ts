import { differing, type Fault, faultText } from '../../../shared/ledger/invariants.ts';
import type { History } from '../history.ts';
import type { Observed } from '../observed.ts';
import { answerViolations, listViolations } from './answers.ts';
import { Audit, auditViolations } from './audit.ts';
import { filingViolations } from './filings.ts';
import { Ledger, referenceViolations, stateViolations } from './ledger.ts';
import { moneyViolations } from './money.ts';
import { dueViolations, periodViolations, taxDayViolations } from './periods.ts';
import { redactionViolations } from './redactions.ts';
import { reminderViolations } from './reminders.ts';

/** The account that a key of the Transactions table belongs to. A key of the due index begins with its shard. */
const accountOfKey = (pk: string, sk: string): string | undefined => (pk.startsWith('DUE#') ? sk : pk).split('#')[1];

/** A request writes only keys of its account. */
const partitionFaults = (account: string, pk: string, sk: string): Fault[] =>
  differing(`account of the key ${pk} ${sk}`, accountOfKey(pk, sk), account);

/** A request writes only items of its account. */
const accountViolations = ({ versions }: History): string[] =>
  [...versions].flatMap(([name, written]) => {
    const [pk = '', sk = ''] = name.split(' ');
    return written
      .filter(({ invocation }) => invocation.account !== 'all' && pk !== 'W')
      .flatMap(({ invocation: { id, account } }) =>
        partitionFaults(account, pk, sk).map((fault) => `${id} wrote another account's item: ${faultText(fault)}`),
      );
  });

/** All violations of invariants, as text (measured facts 5.3). */
export const violationsOf = (history: History, observed: Observed, areAllHashed: boolean): string[] => {
  const bugs = observed.bugs.map(
    ({ invocation, error }) => `500 in ${invocation}: ${error instanceof Error ? error.stack : error}`,
  );
  const ledger = new Ledger(history);
  const audit = new Audit(ledger);
  return [
    ...bugs,
    ...accountViolations(history),
    ...referenceViolations(ledger),
    ...stateViolations(ledger, audit.fieldsOf),
    ...auditViolations(ledger, audit, areAllHashed),
    ...moneyViolations(ledger),
    ...answerViolations(ledger, audit, observed),
    ...listViolations(ledger, observed),
    ...filingViolations(history, ledger, observed),
    ...dueViolations(history, ledger, observed),
    ...periodViolations(history, ledger),
    ...reminderViolations(ledger),
    ...taxDayViolations(ledger, audit, observed),
    ...redactionViolations(history, ledger, observed),
  ];
};
