import { assert } from '../../base/assert.ts';
import { csvText } from '../../base/csv.ts';
import { countsFrom } from '../../catalog/effective.ts';
import type { Effect, Release, Rule } from '../../catalog/release.ts';
import type { Confidence, Jurisdiction, JurisdictionType } from '../../catalog/release-values.ts';
import { chooseRule } from '../../tax/rule-choice.ts';
import { isWithin } from '../../vocabulary/product-tax-code.ts';
import { vocabulary } from '../../vocabulary/vocabulary.ts';
import { answerOf, type Entry, notEstablishedBecause, withLocalRate } from './answers.ts';
import { splitByUse, tiesAmong } from './entries.ts';
import {
  attributesOf,
  type Conditions,
  productOf,
  readConditions,
  requiredOf,
  requiring,
  type TaxabilityRow,
  taxabilityRows,
} from './rows.ts';

// Turns the rows of a state into rules of its release.

/** A row that is no rule, and why. */
type OpenRow = { readonly row: TaxabilityRow; readonly reason: string };

/** The rules of a state's rows with their sources, and the rows that are no rules. */
type FromRows = Pick<Release, 'rules' | 'sources'> & { readonly open: readonly OpenRow[] };

/** The prefix of the sources of these rules. Their ids have it after the state. */
const prefix = 'taxability-';

/** Whether a rule was made from a row. */
export const isFromRow = ({ source }: Pick<Rule, 'source'>): boolean => source.startsWith(prefix);

const localLevels: readonly JurisdictionType[] = ['county', 'city', 'district'];

const confidences: readonly Confidence[] = ['low', 'medium', 'medium-high', 'high'];

const isLasting = ({ effect, season }: Rule): boolean => effect.type !== 'holiday' && season === undefined;

/** The release without the rules of rows. */
const handWritten = (release: Release): Release => ({
  ...release,
  rules: release.rules.filter((rule) => !isFromRow(rule)),
});

type Subject = Pick<Entry, 'code' | 'attributes' | 'from' | 'to'>;

/** A day on which an entry applies. */
const dayOf = (own: Release, { from, to }: Subject): string => (to === null ? own.id.slice(6, 16) : (from ?? to));

/** The hand-written rule that decides about the product of an entry in a jurisdiction. */
const ownRule = (own: Release, entry: Subject, jurisdiction: Jurisdiction): Rule | undefined => {
  const product = productOf(entry.code, requiredOf(entry.attributes));
  return product ? chooseRule(own, jurisdiction, product, dayOf(own, entry), isLasting) : undefined;
};

/** The hand-written holiday of the product of an entry on its first day. */
const holidayOf = (own: Release, { code, attributes, from, to }: Subject): Rule | undefined => {
  const product = productOf(code, requiredOf(attributes));
  if (product === null || from === null || to === null) return undefined;
  return chooseRule(own, own.jurisdictions[0], product, from, ({ effect }) => effect.type === 'holiday');
};

const ownStateRule = (own: Release, subject: Subject) => ownRule(own, subject, own.jurisdictions[0]);

/** The hand-written rules for local taxes that decide about the product of an entry. */
const ownLocalRules = (own: Release, subject: Subject): readonly Rule[] => {
  const [state] = own.jurisdictions;
  return localLevels.flatMap((type) => ownRule(own, subject, { ...state, code: `${state.code}-*`, type }) ?? []);
};

const generalGoods: Subject = { code: 'GENERAL', attributes: { any: [], none: [] }, from: null, to: null };

/** The cap of local taxes on the price of all goods, where the state has one and taxes the goods of an entry. */
const localCapOn = (own: Release, { code, answer }: Entry): Effect | undefined => {
  // Rentals are no sales of goods.
  const isGoods = vocabulary().fulfillmentByName.get(code) === undefined && !isWithin(code, 'RENTALS');
  if (!isGoods || answer.state.type !== 'taxable' || answer.local.type === 'exempt') return undefined;
  return ownLocalRules(own, generalGoods).find(({ effect }) => effect.type === 'base_cap')?.effect;
};

const entryOf = (own: Release, row: TaxabilityRow, conditions: Conditions): Entry => ({
  code: row.code,
  attributes: attributesOf(row),
  answer: answerOf(own, row, conditions),
  // An earlier law is known to apply on all days that the release covers before it ended.
  from: row.from || (row.to === '' ? null : countsFrom(own)),
  to: row.to || null,
  citation: row.citation || 'No source was found.',
});

const isAtLeast = (left: Confidence, right: Confidence): boolean =>
  confidences.indexOf(left) >= confidences.indexOf(right);

/**
 * Whether a hand-written rule decides in place of an entry. An entry that says otherwise decides if it has an attribute
 * that the rule does not require, or its code where the rule has its family, with as much confidence.
 */
const precedes = ({ attributes, effect, ptcs, confidence }: Rule, entry: Entry): boolean => {
  const { state } = entry.answer;
  if (state.type === 'not_established' || JSON.stringify(state) === JSON.stringify(effect)) return true;
  const isNarrower = requiredOf(entry.attributes).some((code) => !requiredOf(attributes).includes(code));
  const isOfCode = !ptcs.includes(entry.code) && isAtLeast(entry.answer.confidence, confidence);
  return !isNarrower && !isOfCode;
};

/** The entry of a row, or why the row is no rule. */
const readRow = (own: Release, row: TaxabilityRow, conditions: Conditions): Entry | string => {
  if (row.code.startsWith('TOPIC:')) return 'it is about a topic';
  if (row.to !== '' && row.to < countsFrom(own)) return 'it ended before the days that the release covers';
  const entry = entryOf(own, row, conditions);
  if (!productOf(row.code, requiredOf(entry.attributes))) return 'the vocabulary lacks the code with these attributes';
  const rule = ownStateRule(own, entry);
  const holiday = holidayOf(own, entry);
  if (holiday) return `the release has the holiday ${holiday.id}`;
  return rule && precedes(rule, entry) ? `the release has the rule ${rule.id}` : entry;
};

/** The entries of the rows of one code, and the rows that are no rules. */
const readCell = (own: Release, rows: readonly TaxabilityRow[], conditions: Conditions) => {
  const results = rows.map((row) => ({ row, result: readRow(own, row, conditions) }));
  const split = splitByUse(results.flatMap(({ result }) => (typeof result === 'string' ? [] : [result]))).filter(
    ({ to }) => to === null || to >= countsFrom(own),
  );
  const withAnimals = [...split, ...animalsOf(split)];
  return {
    open: results.flatMap(({ row, result }): OpenRow[] =>
      typeof result === 'string' ? [{ row, reason: result }] : [],
    ),
    entries: [...withAnimals, ...tiesAmong(withAnimals, handWrittenOn(own, rows[0]?.code ?? ''))],
  };
};

/** The hand-written rules of a code by attribute, as entries: a product may have the attributes of one and of a row. */
const handWrittenOn = (own: Release, code: string): readonly Entry[] =>
  own.rules
    .filter((rule) => {
      const { ptcs, attributes, levels } = rule;
      const isOfState = levels === null || levels.includes('state');
      return isLasting(rule) && isOfState && ptcs.includes(code) && requiredOf(attributes).length > 0;
    })
    .flatMap((rule) =>
      rule.attributes.any.map((attribute) => ({
        code,
        attributes: { any: [attribute], none: rule.attributes.none },
        answer: { ...notEstablishedBecause(''), state: rule.effect, local: rule.effect },
        from: rule.from,
        to: rule.to,
        citation: '',
      })),
    );

const forAnimals = '_ANIMAL_USE';

/** A product that is exempt for people may be taxed for animals: without a row, that is not established. */
const animalsOf = (entries: readonly Entry[]): readonly Entry[] => {
  if (entries.some(({ attributes }) => requiredOf(attributes).includes(forAnimals))) return [];
  return entries
    .filter(({ answer, code, attributes }) => {
      const required = requiredOf(attributes);
      return answer.state.type === 'exempt' && productOf(code, [...required, forAnimals]) !== null;
    })
    .map((entry) => ({
      ...entry,
      attributes: requiring([...requiredOf(entry.attributes), forAnimals], entry.attributes.none),
      answer: notEstablishedBecause('Products for people are exempt; no source says the same of those for animals.'),
    }));
};

/** Districts whose taxes follow the state where cities and counties have rules of their own (C.R.S. 29-2-105(1)(d)). */
const districtsOfStates: Readonly<Record<string, readonly string[]>> = { 'US-CO': ['RTD', 'CD'] };

/** The content of a rule without its codes and its id. Entries with equal content become one rule. */
type RuleContent = Omit<Rule, 'id' | 'ptcs' | 'source'> & { readonly citation: string };

const contentsOf = (own: Release, entry: Entry): readonly RuleContent[] => {
  const { attributes, answer, from, to, citation } = entry;
  const { state, confidence } = answer;
  const ofLevels = (levels: Rule['levels'], effect: Rule['effect'], assumption: string): RuleContent => ({
    levels,
    attributes,
    effect,
    from,
    to,
    citation,
    confidence,
    ...(assumption === '' ? {} : { assumption }),
  });
  const ofState = ofLevels(['state'], state, answer.assumption);
  const local = localCapOn(own, entry) ?? answer.local;
  const isOwnLocal = local.type === 'not_established' && state.type !== 'not_established';
  const precedesLocally = ({ attributes: ofRule, ptcs }: Rule) =>
    isOwnLocal ||
    (ptcs.includes(entry.code) && requiredOf(attributes).every((code) => requiredOf(ofRule).includes(code)));
  // A hand-written rule of local taxes decides about the product.
  if (ownLocalRules(own, entry).some(precedesLocally)) return [ofState];
  const ofDistricts = (isOwnLocal ? (districtsOfStates[own.state] ?? []) : []).map(
    (kind): RuleContent => ({ ...ofLevels(['district'], withLocalRate(state), ''), kinds: [kind] }),
  );
  return JSON.stringify(state) === JSON.stringify(local) && answer.localAssumption === ''
    ? [ofLevels(null, state, answer.assumption)]
    : [ofState, ...ofDistricts, ofLevels(localLevels, local, answer.localAssumption)];
};

const words = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The id of a rule: its state, its first code, its attributes, its level, and its first month if it has one. */
const idOf = (
  state: string,
  { levels, kinds, attributes, from }: RuleContent,
  [code = '']: readonly string[],
): string =>
  [
    `${state.toLowerCase()}-${prefix}${words(code.slice(code.indexOf('.') + 1))}`,
    ...requiredOf(attributes).map(words),
    ...(kinds ?? (levels === null ? [] : [levels.length === 1 ? 'state' : 'local'])).map(words),
    ...(from === null ? [] : [from.slice(0, 7)]),
  ].join('-');

/** The rules of a state's rows, for its release. A row about a product that a hand-written rule decides is no rule. */
const rulesFromRows = (release: Release, rows: readonly TaxabilityRow[], conditions: Conditions): FromRows => {
  const state = release.state.slice(3);
  const own = handWritten(release);
  const cells = [...Map.groupBy(rows, ({ code }) => code).values()].map((cell) => readCell(own, cell, conditions));
  const contents = cells.flatMap(({ entries }) =>
    entries.flatMap((entry) => contentsOf(own, entry).map((content) => ({ code: entry.code, content }))),
  );
  const citations = [...new Set(contents.map(({ content }) => content.citation))];
  const grouped = [...Map.groupBy(contents, ({ content }) => JSON.stringify(content)).values()];
  const rules = grouped.map((members): Rule => {
    const [first] = members;
    assert(first !== undefined, 'a group has a member');
    const { citation, ...content } = first.content;
    const ptcs = [...new Set(members.map(({ code }) => code))];
    return { id: idOf(state, first.content, ptcs), ptcs, ...content, source: keyOf(citations, citation) };
  });
  const ids = rules.map(({ id }) => id);
  const repeated = ids.filter((id, at) => ids.indexOf(id) !== at);
  assert(repeated.length === 0, `rules of ${state} share an id: ${repeated.join(', ')}`);
  return {
    rules,
    sources: Object.fromEntries(citations.map((citation) => [keyOf(citations, citation), citation])),
    open: cells.flatMap(({ open }) => open),
  };
};

const keyOf = (citations: readonly string[], citation: string): string => `${prefix}${citations.indexOf(citation) + 1}`;

// The built-in releases with the rules of the tables of taxability. Only `npm run content` and the tests use them.

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
