import { markdownTable } from '../base/texts.ts';
import { settingOn } from '../catalog/effective.ts';
import { stateRateOn } from '../catalog/rates.ts';
import type { CouponPolicy, Release } from '../catalog/release.ts';
import { type Confidence, type Evidence, formatPercent } from '../catalog/release-values.ts';
import { type Publisher, publishers } from '../importers/updates/publishers.ts';
import { chooseRule, shippingRule } from '../tax/rule-choice.ts';
import { isUnconfirmed } from '../tax/uncertainties.ts';
import { requireProduct } from '../vocabulary/product-tax-code.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';
import { coverageOfAll, type Subject } from './coverage.ts';
import { releaseDay } from './local-rates.ts';
import { residentsTable } from './residents.ts';
import type { StateCoverage } from './response.ts';
import { listAddresses } from './source.ts';

// Lists, for the coverage page, which product tax codes have a rule in which states.

/** Returns the releases of states that tax general goods on a day. */
export const taxingOn = (releases: readonly Release[], day: string): readonly Release[] =>
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

const introduction = (day: string): string => `# Coverage by state

\`npm run content -- coverage --write\` generates this page from the built-in releases, as of ${day}. \`GET /coverage\` returns the same
data with citations, notes and imported content.

- **General rate**: the state's rate on that day, and the first day for which Levy has it on record.
- **Local rates**: how Levy finds the rate for an address. \`by place\` uses the ZIP code, the city and the county (see below).
  \`not levied\`: the state has no local taxes.
- **As of**: the oldest and the newest date of the sources of the local rates.
- **Outdated**: the share of areas whose local rate is older than its publisher's cadence allows, or of unknown age. Responses with such a
  rate have the warning \`local_rates_outdated\`.
- **Places missing**: the share of places with a separate tax whose rate is not established. An address there gets the rate of its county
  or state, \`coverage: partial\` and a warning.
- **Clothing, groceries, digital goods, shipping**: how these are taxed. \`by level\` means that state and local taxes differ;
  \`GET /coverage\` has the details.
- \`*\` marks a value that no primary source confirms. Responses that depend on it have the warning \`content_unconfirmed\`.

## Earlier tax days

Levy supports tax days from 2022-01-01 (\`approximate_from\` of the releases):

- A rate or rule with a first day on record applies from that day. Local rates that are known to have changed since 2022 have one row per
  rate, for example in Minnesota's cities and counties. The general rate of each state is on record since 2022-01-01 or earlier.
- A local rate without a first day on record is established from the table's \`established_from\`: 2026-10-01, or 2026-01-01 in four
  states. On earlier days, Levy uses the first rate on record: \`coverage\` is \`partial\`, and the warning \`local_rates_approximate\` names
  both days. \`incomplete_coverage=reject\` rejects such a calculation.
- A rule without a first day on record is established from 2026-01-01. On earlier days it applies with the warning \`content_approximate\`.
- Before 2022-01-01, only values with a first day on record apply. Everything else is \`not_covered\`.

To replace approximate rates with the files that a state publishes, see [Tax content](../../shared/cli/content/README.md).
`;

const sourcesIntroduction = `## Official sources

Each state with a general sales tax has a publisher. \`npm run content -- update\` imports the files that have a format below.
\`npm run content -- sources\` and \`GET /coverage\` show the age of the imported files. The tests do not contact the publishers' sites.

- **Layout**: \`Cited\` means that the publisher or a public parser documents the layout. \`Unverified\` means that no public source
  documents it; an update never activates such a release.
- **Not imported**: the state publishes PDF, HTML or a workbook that Levy cannot read, so Levy uses its built-in rates. To correct them,
  import a ZIP table with the published rates: \`npm run content -- import --format zip-rates\`.
`;

const residentsIntroduction = `## Local rates by residents

How certain the rate by place is for every ZIP code without imported files: with the name that the postal service prefers, with each other
name, and without a city. \`npm run content -- coverage --by-residents\` prints the same table by state.

- **Names**: the number of ZIP codes, counted once per name. **Residents**: the residents of these ZIP codes.
- **Certain**: only one rate is possible. The percentage is the share of the residents.
- **Likelier rate**: several rates are possible, or one is not established. Levy charges the rate of most residents, with the warning
  \`address_ambiguous\`. **Its share**: the estimated share of these residents who live where that rate applies.
- **Not established**: no rate is known, with the warning \`local_rates_missing\`.
`;

const productsIntroduction = `## Product tax codes

The product tax codes with a rule of at least medium confidence, in the states that tax general goods. Without a rule, a code is taxed as
general goods, with the warning \`taxability_not_established\`. An attribute can have a rule even if its code has none.
[Taxability](taxability.md) shows how each state taxes each code.
`;

/** Returns the coverage of each state on a day as cells, with a header. */
export const stateTable = (releases: readonly Release[], day: string): readonly (readonly string[])[] => [
  [...columns, ...subjects.map(title)],
  ...coverageOfAll(releases, day).map(row),
];

/** Returns the day of the newest release. */
export const newestDay = (releases: readonly Release[]): string => releases.map(releaseDay).toSorted().at(-1) ?? '';

/** Builds the Markdown page on the coverage of releases, as of the newest release's day. */
export const coveragePage = (releases: readonly Release[]): string => {
  const day = newestDay(releases);
  const [header = [], ...rows] = stateTable(releases, day);
  const states = markdownTable(header, rows);
  return `${introduction(day)}\n${states}\n\n${couponsLine(releases, day)}\n\n${productsIntroduction}\n${productsTable(releases, day)}\n\n${residentsIntroduction}\n${residentsTable(releases, false)}\n\n${sourcesIntroduction}\n${publishersTable(day)}\n`;
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
export const publishersTable = (day: string): string => {
  const groups = Map.groupBy(publishers, (publisher) => publisherCells(publisher, day).join(' | '));
  const rows = [...groups].map(([cells, states]) => {
    const letters = states.map(({ state }) => state).toSorted();
    return [letters.join(', '), cells];
  });
  return markdownTable(publisherColumns, rows);
};
