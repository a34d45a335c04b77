import type { Chain, StoredFiling } from '../../filings/ledger.ts';
import { chainFrom } from '../../store/filings/filing-item.ts';
import { type ChainItems, chainItems } from '../../store/ledger/ledger-walk.ts';
import { differing, type Fault, type Finding, findingsOf, orUnreadable } from './finding.ts';
import { statesOfEntries } from './stray-entries.ts';

// As many states at a time as a worker has shards.
const atOnce = 8;

/** A canceled filing has its period until all of its entries are open again. */
const hasPeriod = ({ status, isUnfinished }: StoredFiling) => status !== 'canceled' || isUnfinished;

/**
 * Check the stored periods against the filings: each filing that is not canceled has the item of its period, there is no
 * other item, and the chain of its state ends with the newest filing.
 */
export const chainFindings = async (account: string, filings: readonly StoredFiling[]): Promise<Finding[]> => {
  const states = statesOfEntries(filings.map(({ state }) => state));
  const findings: Finding[] = [];
  for (let start = 0; start < states.length; start += atOnce) {
    const some = states.slice(start, start + atOnce);
    findings.push(...(await Promise.all(some.map((state) => ofState(account, state, filings)))).flat());
  }
  return findings;
};

const ofState = async (account: string, state: string, filings: readonly StoredFiling[]): Promise<Finding[]> => {
  const items = await chainItems(account, state);
  const kept = filings
    .filter((filing) => filing.state === state && hasPeriod(filing))
    .toSorted((a, b) => (a.period_end < b.period_end ? -1 : 1));
  const newest = kept.at(-1);
  const faults = await orUnreadable(`chain of ${state}`, () => chainFaults(items.chain, state, newest));
  return [...periodItemFindings(items, state, kept), ...findingsOf(newest?.id ?? state, 'filings', faults)];
};

const periodItemFindings = ({ periods }: ChainItems, state: string, kept: readonly StoredFiling[]): Finding[] => {
  const actual = new Map(periods.map(({ period_end, filing }) => [period_end, filing]));
  const expected = new Map(kept.map(({ period_end, id }) => [period_end, id]));
  return [...new Set([...expected.keys(), ...actual.keys()])].sort().flatMap((end) => {
    const faults = differing(`filing of the period of ${state} to ${end}`, actual.get(end), expected.get(end));
    return findingsOf(expected.get(end) ?? String(actual.get(end)), 'filings', faults);
  });
};

const endText = (end: Chain['last']) => (end === null ? null : `${end.filing} of ${end.period_end}`);

const chainFaults = (item: unknown, state: string, newest: StoredFiling | undefined): Fault[] => {
  const chain = item === undefined ? null : chainFrom(item);
  const end = newest ? { period_end: newest.period_end, filing: newest.id } : null;
  const isBusy = newest ? newest.isUnfinished && newest.status !== 'marking' : false;
  return [
    ...differing(`end of the chain of ${state}`, endText(chain?.last ?? null), endText(end)),
    ...differing(`busy flag of the chain of ${state}`, chain?.isBusy ?? false, isBusy),
  ];
};
