/** The built-in releases with the rules of the tables of taxability. Only `npm run content` and the tests use them. */
import { csvText } from '../../base/csv.ts';
import type { Release } from '../release.ts';
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
