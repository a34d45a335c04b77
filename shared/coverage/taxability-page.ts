/** Builds the Markdown page on how each state taxes each product tax code. */
import { markdownTable } from '../base/texts.ts';
import type { Release } from '../catalog/release.ts';
import type { TreatmentName } from '../vocabulary/treatment.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';
import { releaseDay } from './local-rates.ts';
import { taxingOn } from './page.ts';
import { findTaxability } from './taxability.ts';

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
  exempt_if_stated: goods,
  exempt_unless_included: goods,
  taxable_unless_avoidable: goods,
  not_subject_to_tax: ['N', 'no tax of the state'],
  not_established: ['–', 'no rule is established'],
};

type Cell = { readonly sign: Sign; readonly isUncertain: boolean };

const buildCell = (release: Release, code: string, day: string): Cell => {
  const { treatment, rule_id, confidence } = findTaxability(release, code, day);
  const isRuled = rule_id !== null || treatment === 'not_subject_to_tax';
  return {
    sign: signs[isRuled ? treatment : 'not_established'],
    isUncertain: confidence === 'low' || confidence === 'medium',
  };
};

const introduction = (day: string, legend: readonly Sign[]): string => `# Taxability by product tax code and state

\`npm run content -- coverage --write\` generates this page from the built-in releases, as of ${day}. It shows the state tax on a code without
attributes, in the states with a general sales tax, ignoring sales tax holidays. \`GET /product-tax-codes?state=\` returns the same data with
the rule, its source and the attributes that change it. Local taxes may differ; \`POST /calculations\` includes them.

${markdownTable(['Sign', 'Meaning'], [...legend, ['\\*', 'no primary source confirms it: `content_unconfirmed`']])}

Codes without a rule are taxed as general goods, with the warning \`taxability_not_established\`.
`;

/** Builds the page for the releases of all states, as of the newest release's day. */
export const taxabilityPage = (releases: readonly Release[]): string => {
  const day = releases.map(releaseDay).toSorted().at(-1) ?? '';
  const taxing = taxingOn(releases, day).toSorted((a, b) => (a.state < b.state ? -1 : 1));
  const rows = vocabulary().productTaxCodes.map((code) => ({
    code,
    cells: taxing.map((release) => buildCell(release, code, day)),
  }));
  const used = new Set(rows.flatMap(({ cells }) => cells.map(({ sign }) => sign)));
  const legend = [...new Set(Object.values(signs))].filter((sign) => used.has(sign));
  const row = ({ code, cells }: (typeof rows)[number]) => [
    `\`${code}\``,
    ...cells.map(({ sign: [letter], isUncertain }) => `${letter}${isUncertain ? '\\*' : ''}`),
  ];
  const headings = ['Code', ...taxing.map(({ state }) => state.slice('US-'.length))];
  const families = Map.groupBy(rows, ({ code }) => code.split('.')[0] as string);
  const tables = [...families].map(([family, members]) =>
    [`## ${family}`, '', markdownTable(headings, members.map(row)), ''].join('\n'),
  );
  return `${introduction(day, legend)}\n${tables.join('\n')}`;
};
