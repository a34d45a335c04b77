import { assert } from '../base/assert.ts';
import { markdownTable } from '../base/texts.ts';
import { settingOn } from '../catalog/effective.ts';
import { stateRateOn } from '../catalog/rates.ts';
import type { CouponPolicy, Release } from '../catalog/release.ts';
import { type Confidence, type Evidence, formatPercent } from '../catalog/release-values.ts';
import { type Publisher, publishers } from '../importers/updates/publishers.ts';
import { chooseRule, shippingRule } from '../tax/rule-choice.ts';
import { isUnconfirmed } from '../tax/uncertainties.ts';
import { requireProduct } from '../vocabulary/product-tax-code.ts';
import type { TreatmentName } from '../vocabulary/treatment.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';
import { coverageOfAll, listAddresses, type Subject } from './coverage.ts';
import { releaseDay } from './local-rates.ts';
import { residentsTable } from './residents.ts';
import type { StateCoverage } from './response.ts';
import { findTaxability } from './taxability.ts';

// Lists the product tax codes that have a rule in each state, for the coverage page.

/** Returns the releases of states that tax general goods on a day. */
const taxingOn = (releases: readonly Release[], day: string): readonly Release[] =>
  releases.filter((release) => Number(stateRateOn(release, day)?.rate ?? 0) > 0);

/** Returns whether a rule of at least medium confidence applies to a code in a state, without attributes. */
const isRuled = (release: Release, code: string, day: string): boolean => {
  const product = requireProduct(code);
  const rule = chooseRule(release, release.jurisdictions[0], product, day) ?? shippingRule(release, product, day);
  return rule !== undefined && rule.confidence !== 'low';
};

/** Builds a Markdown table of product tax codes and the states without a rule for them on a day. */
const productsTable = (releases: readonly Release[], day: string): string => {
  const taxing = taxingOn(releases, day);
  const codes = vocabulary().productTaxCodes.map((code) => {
    const without = taxing.filter((release) => !isRuled(release, code, day)).map(({ state }) => state.slice(3));
    return { code, without: without.toSorted() };
  });
  const cells = codes.length * taxing.length;
  const open = codes.reduce((sum, { without }) => sum + without.length, 0);
  return [
    `${cells - open} of ${cells} cells of ${codes.length} codes and ${taxing.length} jurisdictions have a rule (${((100 * (cells - open)) / cells).toFixed(1)}%).`,
    '',
    markdownTable(
      ['Code', 'With a rule', 'Without'],
      codes.map(({ code, without }) => [`\`${code}\``, String(taxing.length - without.length), without.join(' ')]),
    ),
  ].join('\n');
};

const subjects: readonly (Subject | 'shipping')[] = ['clothing', 'groceries', 'digital_goods', 'shipping'];
const columns = ['State', 'General rate', 'Local rates', 'As of', 'Outdated', 'Places missing'];

const words = (name: string) => name.replaceAll('_', ' ');
const title = (name: string) => words(name).replace(/^./, (first) => first.toUpperCase());

// Marks the values for which responses contain a warning.
const marked = (text: string, confidence: Confidence | null): string =>
  confidence === 'medium' || confidence === 'low' ? `${text} *` : text;

const asOfText = ({ as_of, oldest_as_of }: StateCoverage['local']): string => {
  if (as_of === null) return 'not known';
  return oldest_as_of === null || oldest_as_of === as_of ? as_of : `${oldest_as_of} to ${as_of}`;
};

const row = (covered: StateCoverage): readonly string[] => {
  const { state, general_rate, local } = covered;
  const since = general_rate?.from ? ` since ${general_rate.from}` : '';
  const rate = general_rate
    ? marked(`${formatPercent(general_rate.rate)}${since}`, general_rate.confidence)
    : 'not established';
  const share = (fraction: string | null) => (fraction === null ? 'not known' : formatPercent(fraction));
  const treatments = subjects.map((subject) => marked(words(covered[subject].treatment), covered[subject].confidence));
  const shares = [share(local.share_outdated), share(local.share_missing)];
  return [state, rate, words(local.basis), asOfText(local), ...shares, ...treatments];
};

const couponsLine = (releases: readonly Release[], day: string): string => {
  const settings = releases.map(({ state, settings: { coupons = [] } }) => ({
    state,
    setting: settingOn(coupons, day),
  }));
  const named = (isMeant: (setting: Evidence & { readonly policy: CouponPolicy }) => boolean) =>
    settings
      .filter(({ setting }) => setting && isMeant(setting))
      .map(({ state }) => state.slice('US-'.length))
      .toSorted()
      .join(', ');
  return `Third-party discounts, such as manufacturers' coupons, lower the taxable price in ${named(({ policy }) => policy === 'reduces_price')}.
In the other states they do not. No primary source confirms this for ${named(isUnconfirmed)}.`;
};

/** Returns the coverage of each state on a day as cells, with a header. */
export const stateTable = (releases: readonly Release[], day: string): readonly (readonly string[])[] => [
  [...columns, ...subjects.map(title)],
  ...coverageOfAll(releases, day).map(row),
];

/** Returns the day of the newest release. */
export const newestDay = (releases: readonly Release[]): string => releases.map(releaseDay).toSorted().at(-1) ?? '';

/**
 * Returns the Markdown page on the coverage of releases with new tables, as of the newest release's day. Each table is
 * between the comments `<!-- name -->` and `<!-- /name -->`.
 */
export const coveragePage = (releases: readonly Release[], page: string): string => {
  const day = newestDay(releases);
  const [header = [], ...rows] = stateTable(releases, day);
  const parts = {
    day,
    states: `\n\n${markdownTable(header, rows)}\n\n${couponsLine(releases, day)}\n\n`,
    products: `\n\n${productsTable(releases, day)}\n\n`,
    residents: `\n\n${residentsTable(releases, false)}\n\n`,
    publishers: `\n\n${publishersTable(day)}\n\n`,
  };
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    assert(from >= 0 && from < to, `the coverage page lacks the comments ${start} and ${end}`);
    return text.slice(0, from + start.length) + part + text.slice(to);
  }, page);
};

const publisherColumns = ['States', 'Publisher', 'Published as', 'Cadence', 'Covers', 'Layout, or what to do'] as const;

const findTexts = {
  url: 'fixed address',
  index: 'index page',
  dated: 'page of dated files',
  service: 'dated service',
} as const;

/** Returns the format with a link to each file or page on a day: `sst`: rates, boundaries (index page). */
const publishedAs = (publisher: Publisher, day: string): string => {
  if (publisher.format === null) return publisher.published;
  const addresses = listAddresses(publisher, day);
  const links = publisher.files.map(({ option }, index) => `[${option}](${addresses[index]})`);
  const found = [...new Set(publisher.files.map(({ find }) => findTexts[find]))];
  return `\`${publisher.format}\`: ${links.join(', ')} (${found.join(', ')})`;
};

const layoutTexts = { cited: 'Cited', unverified: 'Unverified: check the release, then activate it yourself' } as const;

const publisherCells = (publisher: Publisher, day: string): readonly string[] => [
  publisher.name,
  publishedAs(publisher, day),
  publisher.cadence,
  publisher.covers,
  publisher.format === null ? 'Not imported: import a ZIP table' : layoutTexts[publisher.layout],
];

/** Builds a Markdown table of the publishers on a day. States with the same publisher and files share a row. */
const publishersTable = (day: string): string => {
  const groups = Map.groupBy(publishers, (publisher) => publisherCells(publisher, day).join(' | '));
  const rows = [...groups].map(([cells, states]) => {
    const letters = states.map(({ state }) => state).toSorted();
    return [letters.join(', '), cells];
  });
  return markdownTable(publisherColumns, rows);
};

// The page on how each state taxes each product tax code.

type Sign = readonly [letter: string, meaning: string];

const goods: Sign = ['G', 'taxed like the goods of the order'];

/** Every treatment must have a letter. The type makes a missing letter a compile error. */
const signs: Readonly<Record<TreatmentName, Sign>> = {
  taxable: ['T', 'taxable at the general rate'],
  exempt: ['E', 'exempt'],
  reduced_rate: ['R', 'reduced rate'],
  higher_rate: ['H', 'higher rate'],
  threshold: ['D', 'depends on the price'],
  capped: ['C', 'tax on a part of the price up to a limit'],
  part_of_price: ['P', 'tax on a part of the price'],
  by_use: ['U', 'depends on the use of the buyer'],
  by_level: ['L', 'state and local taxes differ'],
  by_product: ['B', 'depends on the product'],
  other_tax: ['O', 'another tax applies instead of sales tax'],
  follows_goods: goods,
  any_taxable: ['A', 'taxable if any goods of the order are taxable'],
  exempt_unless_included: goods,
  taxable_unless_avoidable: goods,
  not_subject_to_tax: ['N', 'no tax of the state'],
  not_established: ['–', 'no rule is established'],
};

const buildCell = (release: Release, code: string, day: string) => {
  const { treatment, rule_id, confidence } = findTaxability(release, code, day);
  const isRuled = rule_id !== null || treatment === 'not_subject_to_tax';
  return {
    sign: signs[isRuled ? treatment : 'not_established'],
    isUncertain: confidence === 'low' || confidence === 'medium',
  };
};

const taxabilityIntroduction = (
  day: string,
  legend: readonly Sign[],
): string => `# Taxability by product tax code and state

\`npm run content -- coverage --write\` generates this page from the built-in releases, as of ${day}. It shows the state tax on a code without
attributes, in the states with a general sales tax, ignoring sales tax holidays. \`GET /product-tax-codes?state=\` returns the same data with
the rule, its source and the attributes that change it. Local taxes may differ; \`POST /calculations\` includes them.

${markdownTable(['Symbol', 'Meaning'], [...legend, ['\\*', 'no primary source confirms it: `content_unconfirmed`']])}

Codes without a rule are taxed as general goods, with the warning \`taxability_not_established\`.
`;

/** Builds the page for the releases of all states, as of the newest release's day. */
export const taxabilityPage = (releases: readonly Release[]): string => {
  const day = newestDay(releases);
  const taxing = taxingOn(releases, day).toSorted((a, b) => (a.state < b.state ? -1 : 1));
  const rows = vocabulary().productTaxCodes.map((code) => ({
    code,
    cells: taxing.map((release) => buildCell(release, code, day)),
  }));
  const used = new Set(rows.flatMap(({ cells }) => cells.map(({ sign }) => sign)));
  const legend = [...new Set(Object.values(signs))].filter((sign) => used.has(sign));
  const codeRow = ({ code, cells }: (typeof rows)[number]) => [
    `\`${code}\``,
    ...cells.map(({ sign: [letter], isUncertain }) => `${letter}${isUncertain ? '\\*' : ''}`),
  ];
  const headings = ['Code', ...taxing.map(({ state }) => state.slice('US-'.length))];
  const families = Map.groupBy(rows, ({ code }) => code.split('.')[0] as string);
  const tables = [...families].map(([family, members]) =>
    [`## ${family}`, '', markdownTable(headings, members.map(codeRow)), ''].join('\n'),
  );
  return `${taxabilityIntroduction(day, legend)}\n${tables.join('\n')}`;
};
