/** The built-in releases with the rules of the tables of taxability. Only `npm run content` and the tests use them. */
import { csvText } from '../../base/csv.ts';
import type { Release } from '../../catalog/release.ts';
import { readConditions, taxabilityRows } from './read-rows.ts';
import { type FromRows, isFromRow, rulesFromRows } from './rules.ts';

/** A release without the rules and sources that were made from rows. */
const withoutRows = (release: Release): Release => ({
  ...release,
  sources: Object.fromEntries(Object.entries(release.sources).filter(([source]) => !isFromRow({ source }))),
  rules: release.rules.filter((rule) => !isFromRow(rule)),
});

/** Each of the releases with the rules of the rows of its state, and the rows that are no rules. */
export const withTaxabilityRows = (
  releases: readonly Release[],
): readonly { readonly release: Release; readonly open: FromRows['open'] }[] => {
  const byState = Map.groupBy(taxabilityRows(), ({ state }) => `US-${state}`);
  const conditions = readConditions();
  return releases.map((all) => {
    const own = withoutRows(all);
    const { rules, sources, open } = rulesFromRows(own, byState.get(own.state) ?? [], conditions);
    return { release: { ...own, sources: { ...own.sources, ...sources }, rules: [...own.rules, ...rules] }, open };
  });
};

/** The text of open-rows.csv: the rows that are no rules, and why. */
export const openRowsText = (read: ReturnType<typeof withTaxabilityRows>): string =>
  csvText(
    ['state', 'code', 'attributes', 'from', 'reason'],
    read.flatMap(({ open }) =>
      open.map(({ row: { state, code, attributes, from }, reason }) => ({ state, code, attributes, from, reason })),
    ),
  );

/** JSON on one line, with a space after each colon and comma. */
const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`);
  return `{${entries.join(', ')}}`;
};

const block = (lines: readonly string[], [open, close]: string, indent: string): string =>
  lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}${close}`;

const list = (values: readonly unknown[], indent: string): string => block(values.map(inline), '[]', indent);

const fields = (value: object, textOf: (item: unknown) => string, indent: string): string =>
  block(
    Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${textOf(item)}`),
    '{}',
    indent,
  );

/** The text of the file of a release. */
export const releaseText = (release: Release): string => {
  const textOf = (key: string, value: unknown): string => {
    if (Array.isArray(value)) return list(value, '  ');
    if (key === 'sources') return fields(value as object, inline, '  ');
    return key === 'settings'
      ? fields(value as object, (item) => list(item as unknown[], '    '), '  ')
      : inline(value);
  };
  const lines = Object.entries(release).map(([key, value]) => `${JSON.stringify(key)}: ${textOf(key, value)}`);
  return `${block(lines, '{}', '')}\n`;
};
