/** `content check`: run worked cases against a release before it is activated. */
import { toDay } from '../../base/calendar.ts';
import { cityName } from '../../catalog/local/place-names.ts';
import type { Release } from '../../catalog/release.ts';
import { now } from '../../config/clock.ts';
import { openRelease } from '../../importers/releases/open-release.ts';
import {
  type CaseResult,
  isOfState,
  isUnreadable,
  type ListedCase,
  readCases,
  releaseForCases,
  runCase,
} from '../../importers/releases/worked-cases.ts';
import { monotonicityProblems } from '../../tax/monotonicity.ts';
import { stateCode } from '../../vocabulary/jurisdiction.ts';
import { refuseValue, resolvePath } from '../terminal/arguments.ts';
import { readText } from '../terminal/files.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { CommandError, flag, optional, required, subcommand } from '../terminal/run-command.ts';

/** Reads `--zips`, such as `Minneapolis=55401,Saint Paul=55101`: ZIPs or ZIP+4 by the names of localities. */
const readZips = (text: string): ReadonlyMap<string, string> => {
  const zips = new Map<string, string>();
  for (const pair of text.split(',')) {
    const { name, zip } = /^(?<name>[^=]+)=\s*(?<zip>\d{5}(?:-?\d{4})?)\s*$/.exec(pair)?.groups ?? {};
    const city = cityName(name ?? '');
    if (city === null || zip === undefined)
      return refuseValue('Pass a ZIP for each locality: "Minneapolis=55401,Saint Paul=55101".');
    if (zips.has(city)) refuseValue(`${city} has two ZIPs. Pass one ZIP for each locality.`);
    zips.set(city, zip);
  }
  return zips;
};

/** Adds a ZIP to each case that has only a locality. Refuses a locality that no case needs. */
const addZips = (cases: readonly ListedCase[], zips: ReadonlyMap<string, string>): readonly ListedCase[] => {
  const unused = new Set(zips.keys());
  const completed = cases.map((worked) => {
    if (isUnreadable(worked) || worked.zip) return worked;
    const city = cityName(worked.locality ?? '') ?? '';
    unused.delete(city);
    return { ...worked, zip: zips.get(city) };
  });
  if (unused.size > 0)
    throw new CommandError(`No case without a ZIP is in ${[...unused].join(' or ')}. Correct or omit --zips.`);
  return completed;
};

const formatCase = ({ id, outcome, expected, got, reason }: CaseResult): string => {
  if (outcome === 'not_applicable') return `n/a   ${id}: ${reason}`;
  if (outcome === 'pass') return `pass  ${id}: ${got}`;
  return `FAIL  ${id}: expected ${expected}, got ${got ?? 'no tax'}${reason === null ? '' : `: ${reason}`}`;
};

const summarize = (results: readonly CaseResult[]) => {
  const count = (outcome: CaseResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return { passed: count('pass'), failed: count('fail'), not_applicable: count('not_applicable') };
};

/** Whether a case is printed. For other states, only the number of cases is printed. */
const isListed = (worked: ListedCase, head: Release): boolean =>
  (isUnreadable(worked) && stateCode(worked.state ?? '') === null) || isOfState(worked, head);

const printResults = (head: Release, cases: readonly ListedCase[], results: readonly CaseResult[]): void => {
  const { passed, failed, not_applicable } = summarize(results);
  const own = results.filter((_, index) => isListed(cases[index] as ListedCase, head));
  for (const result of own) print(formatCase(result));
  const others = results.length - own.length;
  if (others > 0) print(`n/a   ${counted(others, 'case')} of other states`);
  print(`${head.id}: ${passed} passed, ${failed} failed, ${not_applicable} not applicable.`);
};

export const check = subcommand({
  name: 'check',
  summary: 'run worked cases against a release before it is activated',
  description:
    'Calculate worked cases with a release, active or not, and compare the tax. Also check that the tax never decreases as a price increases, which tax-included prices require. Exits with 1 if a case or check fails, or if no case applies.',
  options: {
    release: required('<release>', 'such as US-MN@2026-11-21.101, or a built-in release'),
    against: required('<file>', 'JSON: an array of cases, or an object with them as "cases"', resolvePath),
    zips: optional(
      '<list>',
      'ZIPs of localities, for cases without one: "Minneapolis=55401,Saint Paul=55101"',
      readZips,
    ),
    json: flag('one JSON object'),
  },
  help: `A case:
  { "id": "minneapolis", "state": "MN", "zip": "55401", "date": "2026-04-15",
    "input": { "lines": [{ "ptc": "GENERAL", "quantity": "1", "unit_price": "100.00" }] },
    "expected": { "tax_total": "9.03" } }

A case can have a "locality" instead of a "zip". The files of Streamlined Sales Tax have no city names: for such a release,
set its ZIP in the case, or pass it with --zips.`,
  examples: ['content -- check --release US-MN@2026-11-21.101 --against cases.json'],
  run: async ({ release, against, zips = new Map(), json }) => {
    const cases = addZips(readCases(readText(against)), zips);
    const { head } = await openRelease(release);
    const problems = monotonicityProblems(head);
    const releaseFor = await releaseForCases(head, cases);
    const today = toDay(now());
    const results = cases.map((worked) => runCase(worked, head, releaseFor, today));
    const summary = summarize(results);
    if (json) printJson({ release, ...summary, problems, cases: results });
    else {
      for (const problem of problems) print(`FAIL  ${problem}`);
      printResults(head, cases, results);
    }
    if (summary.failed + problems.length > 0) process.exitCode = 1;
    // A check without cases must not look like a success.
    if (summary.passed + summary.failed === 0)
      throw new CommandError(`No case applies to ${release}. Pass cases of its state that expect a tax_total.`);
  },
});
