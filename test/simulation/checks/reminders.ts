import type { Ledger } from './ledger.ts';

/**
 * Each reminder is written once and never changed. When it is written, its return is not filed, and it has the status
 * and the id of its filing, or the period has none.
 */
export const reminderViolations = (ledger: Ledger): string[] => {
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
