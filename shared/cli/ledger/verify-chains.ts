import type { Chain, StoredFiling } from '../../filings/ledger.ts';
import { chainFrom } from '../../store/filings/filing-item.ts';
import { type ChainItems, chainItems } from '../../store/ledger/ledger-walk.ts';
import { differing, type Fault, type Finding, orUnreadable } from './finding.ts';
import { statesOfEntries } from './stray-entries.ts';

// As many states at a time as a worker has shards.
const atOnce = 8;

/** What a filing has a period for: until all that a canceled one took is open again, the period is its own. */
const hasPeriod = ({ status, isUnfinished }: StoredFiling) => status !== 'canceled' || isUnfinished;

/**
 * Check what says which period is next against the filings: each that is not canceled has its period's item, no other
 * item is there, and the chain of its state ends with the newest of them.
 */
export const chainFindings = async (account: string, filings: readonly StoredFiling[]): Promise<Finding[]> => {
  const states = statesOfEntries(filings.map(({ state }) => state));
  const findings: Finding[] = [];
  for (let at = 0; at < states.length; at += atOnce) {
    const some = states.slice(at, at + atOnce);
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
  return [
    ...periodFindings(items, state, kept),
    ...faults.map((fault) => ({ id: newest?.id ?? state, check: 'filings' as const, ...fault })),
  ];
};

const periodFindings = ({ periods }: ChainItems, state: string, kept: readonly StoredFiling[]): Finding[] => {
  const named = new Map(periods.map(({ period_end, filing }) => [period_end, filing]));
  const expected = new Map(kept.map(({ period_end, id }) => [period_end, id]));
  return [...new Set([...expected.keys(), ...named.keys()])].sort().flatMap((end) => {
    const [is, shouldBe] = [named.get(end), expected.get(end)];
    return differing(`filing of the period of ${state} to ${end}`, is, shouldBe).map((fault) => ({
      id: shouldBe ?? String(is),
      check: 'filings' as const,
      ...fault,
    }));
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
