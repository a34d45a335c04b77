/** `content sources`: the publisher of each state, and how old its official files are. */
import { toDay } from '../../base/calendar.ts';
import { now } from '../../config/clock.ts';
import { publishers } from '../../importers/updates/publishers.ts';
import { staleness } from '../../importers/updates/staleness.ts';
import { readContentSources } from '../../store/content/content-sources.ts';
import { print, printJson, textTable } from '../terminal/output.ts';
import type { LevyCommand } from '../terminal/run-command.ts';

const headings = ['state', 'publisher', 'format', 'as of', 'next due', 'stale', 'last update', 'release'];

/** The longest name that keeps the table within 120 columns. */
const nameMax = 35;
const shortened = (name: string): string => (name.length <= nameMax ? name : `${name.slice(0, nameMax - 1)}…`);

/** Returns the publishers by state, each with its update record (`null` if none) and the age of its files. */
const sourcesToday = async () => {
  const records = await readContentSources(publishers.map(({ state }) => state));
  const today = toDay(now());
  return publishers
    .toSorted((a, b) => (a.state < b.state ? -1 : 1))
    .map((publisher) => {
      const record = records.get(publisher.state) ?? null;
      return { publisher, record, age: staleness(publisher, record, today) };
    });
};
type SourceToday = Awaited<ReturnType<typeof sourcesToday>>[number];

const row = ({ publisher, record, age }: SourceToday): readonly string[] => [
  publisher.state,
  shortened(publisher.name),
  publisher.format ?? 'none',
  age.asOf ?? '',
  age.nextExpected ?? '',
  age.isStale ? 'yes' : '',
  record?.checked_at.slice(0, 10) ?? 'never',
  record?.release ?? '',
];

/** Returns lines that explain why a state is stale and why its last update failed. */
const problems = ({ publisher, record, age }: SourceToday): readonly string[] => [
  ...(age.reason === null ? [] : [`${publisher.state} is stale. ${age.reason}`]),
  ...(record?.failure ? [`${publisher.state}: the last update failed. ${record.failure.message}`] : []),
];

const printSources = async ({ json }: { readonly json?: boolean }): Promise<void> => {
  const sources = await sourcesToday();
  if (json)
    return printJson(
      sources.map(({ publisher, record, age }) => ({
        ...publisher,
        as_of: age.asOf,
        next_expected: age.nextExpected,
        stale: age.isStale,
        stale_reason: age.reason,
        last_update: record,
      })),
    );
  print(textTable([headings, ...sources.map(row)]));
  for (const line of sources.flatMap(problems)) print(line);
};

export const addSources = (program: LevyCommand): LevyCommand =>
  program
    .command('sources')
    .summary('list the publisher of each state and the age of its files')
    .description(
      'List the publisher of each state, the day of the newest official file that Levy has, the day by which the next one is due, and the last update. A state is stale if the next file is overdue or updates have failed for a week.',
    )
    .option('--json', 'one JSON array, with cadence, addresses and the whole record of the last update')
    .examples('content -- sources --json')
    .action(printSources);
