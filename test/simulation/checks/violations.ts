import type { Observed } from '../client.ts';
import type { History } from '../history.ts';
import { FilingBook, filingViolations } from './filings.ts';
import { Audit, auditViolations, Ledger, referenceViolations, stateViolations } from './ledger.ts';
import { MoneyBook } from './money.ts';
import { dueViolations, PeriodBook, taxDayViolations } from './periods.ts';
import { redactionViolations } from './redactions.ts';
import { listViolations, responseViolations } from './responses.ts';

/**
 * Each reminder is written once and never changed. When it is written, its return is not filed. It has the status and
 * the id of its period's filing, if there is one.
 */
const reminderViolations = (ledger: Ledger): string[] => {
  /** The filing of each period that is not canceled, by account, state and last day. */
  const filings = new Map<string, { readonly id: string; readonly status: unknown }>();
  const wrong: string[] = [];
  for (const change of ledger.steps.flat()) {
    const [pk = '', sk = ''] = change.name.split(' ');
    const [kind, account, rest] = pk.split('#');
    const { item, step } = change.version;
    if (kind === 'F' && rest === undefined && item) {
      const place = `${account} ${item['state']} ${item['period_end']}`;
      if (item['status'] !== 'canceled') filings.set(place, { id: sk, status: item['status'] });
      else if (item['isUnfinished'] === false) filings.delete(place);
    }
    if (!sk.startsWith('REMINDER#')) continue;
    if (change.before || !item) wrong.push(`${change.name} was changed (step ${step})`);
    const filing = filings.get(`${account} ${item?.['state']} ${item?.['period_end']}`);
    const expected = filing ? `${filing.status} ${filing.id}` : 'open null';
    const actual = `${item?.['status']} ${item?.['filing']}`;
    if (actual !== expected || /^(marking|filed)/.test(actual))
      wrong.push(`${change.name} is ${actual}, not ${expected} (step ${step})`);
  }
  return wrong;
};

/** The account that a key of the Transactions table belongs to. A key of the due index begins with its shard. */
const accountOfKey = (pk: string, sk: string): string | undefined => (pk.startsWith('DUE#') ? sk : pk).split('#')[1];

/** A request writes only items of its account. */
const accountViolations = ({ versions }: History): string[] =>
  [...versions].flatMap(([name, written]) => {
    const [pk = '', sk = ''] = name.split(' ');
    return written
      .filter(({ invocation: { account } }) => account !== 'all' && accountOfKey(pk, sk) !== account)
      .map(({ invocation: { id, account } }) => `${id} of ${account} wrote another account's item ${name}`);
  });

/** Returns all violations of invariants as text. */
export const collectViolations = (history: History, observed: Observed, areAllHashed: boolean): string[] => {
  const bugs = observed.bugs.map(
    ({ invocation, error }) => `500 in ${invocation}: ${error instanceof Error ? error.stack : error}`,
  );
  const ledger = new Ledger(history);
  const audit = new Audit(ledger);
  const filings = new FilingBook();
  return [
    ...bugs,
    ...accountViolations(history),
    ...ledger.walk([new MoneyBook(), filings, new PeriodBook(history)]),
    ...referenceViolations(ledger),
    ...stateViolations(ledger, audit.listFields),
    ...auditViolations(ledger, audit, areAllHashed),
    ...responseViolations(ledger, audit, observed),
    ...listViolations(ledger, observed),
    ...filingViolations(filings, history, ledger, observed),
    ...dueViolations(history, ledger, observed),
    ...reminderViolations(ledger),
    ...taxDayViolations(ledger, audit, observed),
    ...redactionViolations(history, ledger, observed),
  ];
};
