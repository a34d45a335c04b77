import { type Publisher, publishers } from '../content/updates/publishers.ts';
import { addressesOf } from './source.ts';

const columns = ['States', 'Publisher', 'Published as', 'Cadence', 'Covers', 'Layout, or what to do'] as const;

const findTexts = {
  url: 'fixed address',
  index: 'index page',
  dated: 'page of dated files',
  service: 'dated service',
} as const;

/** The format with a link to each file or page, as of a day: `sst`: rates, boundaries (index page). */
const publishedAs = (publisher: Publisher, day: string): string => {
  if (publisher.format === null) return publisher.published;
  const addresses = addressesOf(publisher, day);
  const links = publisher.files.map(({ option }, index) => `[${option}](${addresses[index]})`);
  const found = [...new Set(publisher.files.map(({ find }) => findTexts[find]))];
  return `\`${publisher.format}\`: ${links.join(', ')} (${found.join(', ')})`;
};

const layoutTexts = { cited: 'Cited', unverified: 'Unverified: check the release, then activate it yourself' } as const;

const cellsOf = (publisher: Publisher, day: string): readonly string[] => [
  publisher.name,
  publishedAs(publisher, day),
  publisher.cadence,
  publisher.covers,
  publisher.format === null ? 'Not imported: import a ZIP table' : layoutTexts[publisher.layout],
];

/** The Markdown table of the publishers, as of a day. States with the same publisher and files share a row. */
export const publishersTable = (day: string): string => {
  const rows = Map.groupBy(publishers, (publisher) => cellsOf(publisher, day).join(' | '));
  const lines = [...rows].map(
    ([cells, states]) =>
      `| ${states
        .map(({ state }) => state)
        .toSorted()
        .join(', ')} | ${cells} |`,
  );
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...lines].join('\n');
};
