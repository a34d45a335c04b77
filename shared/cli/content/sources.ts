/** `content sources`: the publisher of each state, and how old its official files are. */
import { toDay } from '../../base/calendar.ts';
import { now } from '../../config/clock.ts';
import { publishers } from '../../importers/updates/publishers.ts';
import { staleness } from '../../importers/updates/staleness.ts';
import { readContentSources } from '../../store/content/content-sources.ts';
import { type Columns, formatTable, print, printJson } from '../terminal/output.ts';
import { flag, subcommand } from '../terminal/run-command.ts';

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

const columns: Columns<SourceToday> = [
  ['state', ({ publisher }) => publisher.state],
  ['publisher', ({ publisher }) => shortened(publisher.name)],
  ['format', ({ publisher }) => publisher.format ?? 'none'],
  ['as of', ({ age }) => age.asOf],
  ['next due', ({ age }) => age.nextExpected],
  ['stale', ({ age }) => age.reason !== null && 'yes'],
  ['last update', ({ record }) => record?.checked_at.slice(0, 10) ?? 'never'],
  ['release', ({ record }) => record?.release],
];

/** Returns lines that explain why a state is stale and why its last update failed. */
const problems = ({ publisher, record, age }: SourceToday): readonly string[] => [
  ...(age.reason === null ? [] : [`${publisher.state} is stale. ${age.reason}`]),
  ...(record?.failure ? [`${publisher.state}: the last update failed. ${record.failure.message}`] : []),
];

export const sources = subcommand({
  name: 'sources',
  summary: 'list the publisher of each state and the age of its files',
  description:
    'List the publisher of each state, the day of the newest official file that Levy has, the day by which the next one is due, and the last update. A state is stale if the next file is overdue or updates have failed for a week.',
  options: { json: flag('one JSON array, with cadence, addresses and the whole record of the last update') },
  examples: ['content -- sources --json'],
  run: async ({ json }) => {
    const sources = await sourcesToday();
    if (json)
      return printJson(
        sources.map(({ publisher, record, age }) => ({
          ...publisher,
          as_of: age.asOf,
          next_expected: age.nextExpected,
          stale: age.reason !== null,
          stale_reason: age.reason,
          last_update: record,
        })),
      );
    print(formatTable(columns, sources));
    for (const line of sources.flatMap(problems)) print(line);
  },
});
