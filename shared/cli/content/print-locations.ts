import { print } from '../terminal/output.ts';
import type { LocationChange } from './compare-locations.ts';
import { daysText, percentOrNone, zipsText } from './texts.ts';
import { isZip } from './zip-pieces.ts';

/** Consecutive ZIPs with the same changes in the whole ZIP. */
type Run = { readonly first: string; last: string; zips: number; readonly changes: readonly LocationChange[] };

const isWhole = ({ key, zips }: LocationChange): boolean =>
  isZip(key) && zips.length === 1 && zips[0]?.[0] === `${key}0000` && zips[0][1] === `${key}9999`;

const sameText = (changes: readonly LocationChange[]): string =>
  JSON.stringify(changes.map(({ from, to, old, new: next }) => [from, to, old, next]));

const lineOf = (where: string, { old, new: next, ...days }: LocationChange): string =>
  `${where}: ${percentOrNone(old)} -> ${percentOrNone(next)}, ${daysText(days)}`;

const printRun = ({ first, last, zips, changes }: Run): void => {
  const all = zips === 1 ? null : `${first} to ${last} (${zips} ZIPs)`;
  for (const change of changes)
    print(lineOf(all ?? (change.zips.length > 0 ? zipsText(change.zips) : change.key), change));
};

/** Prints the changes of one ZIP or city after another, with one line for consecutive ZIPs with the same changes. */
export const locationPrinter = () => {
  let run: Run | null = null;
  const end = (): void => {
    if (run) printRun(run);
    run = null;
  };
  const add = (changes: readonly LocationChange[]): void => {
    const key = changes[0]?.key ?? '';
    const continues =
      run !== null &&
      Number(key) === Number(run.last) + 1 &&
      [...run.changes, ...changes].every(isWhole) &&
      sameText(run.changes) === sameText(changes);
    if (run && continues) {
      run.last = key;
      run.zips += 1;
      return;
    }
    end();
    run = { first: key, last: key, zips: 1, changes };
  };
  return { add, end };
};
