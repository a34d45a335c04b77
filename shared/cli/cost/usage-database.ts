import { assumed, monthDays, monthSeconds } from './assumed.ts';
import type { Usage } from './bill.ts';
import { billedOperations } from './deployment.ts';
import { limiterWrites } from './limiter-writes.ts';
import { begun, type Month, microsecondsOf, onceIn, onService, stepsOf, sumOf } from './month.ts';

const keyUseSeconds = 1800n;
const instanceCacheSeconds = 60n;
// The key, its account, and which releases are active.
const lookUpUnits = 3n;

const limiterUsage = async (month: Month): Promise<bigint> => {
  const perSecondOfAll = Number(sumOf(Object.values(month.requests))) / Number(monthSeconds);
  const writes = await Promise.all(
    billedOperations.map((operation) =>
      limiterWrites(month.requests[operation], microsecondsOf(month, operation), perSecondOfAll),
    ),
  );
  return sumOf(writes);
};

/** What the tables take: units by what is done, and what lies in them. */
export const databaseUsage = async (month: Month): Promise<Usage[]> => {
  const line = onService('DynamoDB');
  const { measures, requests, deployed } = month;
  const steps = stepsOf(month);
  // Read in halves; an index is read for half a unit by 4 KB.
  const listHalves = begun(BigInt(deployed.rowsOfList * measures.rowBytes), 4096n);
  const getHalves = 2n * begun(BigInt(measures.headBytes), 4096n);
  const uses = sumOf(billedOperations.map((operation) => onceIn(month, operation, keyUseSeconds)));
  const lookUps = sumOf(billedOperations.map((operation) => onceIn(month, operation, instanceCacheSeconds)));
  return [
    ...steps.map(({ name, times, step }) => line(`${name}, writes`, 'writeUnit', times * BigInt(step.writeUnits))),
    line('rate limit, writes', 'writeUnit', await limiterUsage(month)),
    line('last use of keys, writes', 'writeUnit', uses),
    ...steps
      .filter(({ step }) => step.readUnits > 0)
      .map(({ name, times, step }) => line(`${name}, reads`, 'readUnit', times * BigInt(2 * step.readUnits))),
    line('get, reads', 'readUnit', requests['get-transaction'] * getHalves),
    line('list, reads', 'readUnit', requests['list-transactions'] * listHalves),
    line('callers and content, reads', 'readUnit', lookUps * lookUpUnits * 2n),
    ...storageUsage(month),
  ];
};

/** What lies in the ledger after so many months. */
const piledUp = (month: Month, of: 'table' | 'indexes', months: number): bigint =>
  BigInt(Math.max(0, months)) * sumOf(stepsOf(month).map(({ times, step }) => times * BigInt(step.bytes[of])));

// Each copy is of everything. The daily ones are as large as the tables, or little smaller; those of months before had less.
const backedUp = (month: Month, tables: bigint): bigint => {
  const { dailyBackups, monthlyBackups } = month.deployed;
  const ofMonths = Array.from(
    { length: monthlyBackups },
    (_, back) => piledUp(month, 'table', month.asked.months - back) + assumed.otherTablesBytes,
  );
  return tables * BigInt(dailyBackups) + sumOf(ofMonths);
};

const storageUsage = (month: Month): Usage[] => {
  const line = onService('DynamoDB');
  const records = sumOf(stepsOf(month).map(({ times, step }) => times * BigInt(step.bytes.records)));
  const { months } = month.asked;
  const tables =
    piledUp(month, 'table', months) + (records * assumed.recordDays) / monthDays + assumed.otherTablesBytes;
  return [
    line('tables, storage', 'tableStorage', tables),
    line('indexes, storage', 'tableStorage', piledUp(month, 'indexes', months)),
    line('point-in-time recovery', 'pointInTimeRecovery', tables),
    line('backups', 'backupStorage', backedUp(month, tables)),
  ];
};
