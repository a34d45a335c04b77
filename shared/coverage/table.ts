import type { Confidence } from '../content/release.ts';
import type { StateCoverage, Subject } from './coverage.ts';

const percent = (fraction: string): string => {
  const [whole = '0', decimals = ''] = fraction.split('.');
  const digits = `${whole}${decimals.padEnd(2, '0').slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const rest = decimals.slice(2).replace(/0+$/, '');
  return `${digits}${rest === '' ? '' : `.${rest}`}%`;
};

const columns: readonly (Subject | 'shipping')[] = ['clothing', 'groceries', 'digital_goods', 'shipping'];

const words = (name: string) => name.replaceAll('_', ' ');

// One mark for what answers warn of, so that the table can be read at a glance.
const marked = (text: string, confidence: Confidence | null): string =>
  confidence === 'medium' || confidence === 'low' ? `${text} *` : text;

const row = (covered: StateCoverage): string => {
  const { state, general_rate, local_rates, as_of } = covered;
  const since = general_rate?.from ? ` since ${general_rate.from}` : '';
  const rate = general_rate
    ? marked(`${percent(general_rate.rate)}${since}`, general_rate.confidence)
    : 'not established';
  const treatments = columns.map((column) => marked(words(covered[column].treatment), covered[column].confidence));
  const cells = [state, rate, local_rates, ...treatments, as_of];
  return `| ${cells.join(' | ')} |`;
};

/** The README's table of what the content knows, in Markdown; `*` marks what no primary source confirms. */
export const coverageTable = (states: readonly StateCoverage[]): string =>
  [
    `| State | General rate | Local rates | ${columns.map((name) => words(name)[0]?.toUpperCase() + words(name).slice(1)).join(' | ')} | As of |`,
    `|${'---|'.repeat(columns.length + 4)}`,
    ...states.map(row),
  ].join('\n');
