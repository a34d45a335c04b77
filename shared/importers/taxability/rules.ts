import { readdirSync, readFileSync } from 'node:fs';
import { assert } from '../../base/assert.ts';
import { countsFrom } from '../../catalog/effective.ts';
import type { Effect, Release, Rule } from '../../catalog/release.ts';
import {
  type Confidence,
  confidences,
  type Jurisdiction,
  type JurisdictionType,
} from '../../catalog/release-values.ts';
import { chooseRule } from '../../tax/rule-choice.ts';
import { vocabulary } from '../../vocabulary/vocabulary.ts';
import { type Entry, getAnswer, notEstablishedBecause, withLocalRate } from './answers.ts';
import { splitByUse, tiesAmong } from './entries.ts';
import {
  type Conditions,
  findFollowing,
  getAttributes,
  getProduct,
  getRequired,
  readConditions,
  requiring,
  type TaxabilityRow,
  taxabilityRows,
} from './rows.ts';

// Converts a state's taxability rows into rules of its release.

/** A row that does not become a rule, and the reason. */
type OpenRow = { readonly row: TaxabilityRow; readonly reason: string };

/** The rules of a state's rows with their sources, and the rows that do not become rules. */
type FromRows = Pick<Release, 'rules' | 'sources'> & { readonly open: readonly OpenRow[] };

const localLevels: readonly JurisdictionType[] = ['county', 'city', 'district'];

const isLasting = ({ effect, season }: Rule): boolean => effect.type !== 'holiday' && season === undefined;

type CodeAndPeriod = Pick<Entry, 'code' | 'attributes' | 'from' | 'to'>;

/** Returns a day on which an entry applies. */
const getDay = (own: Release, { from, to }: CodeAndPeriod): string =>
  to === null ? own.id.slice(6, 16) : (from ?? to);

/** Returns the hand-written rule that decides the entry's product in a jurisdiction. */
const ownRule = (own: Release, entry: CodeAndPeriod, jurisdiction: Jurisdiction): Rule | undefined => {
  const product = getProduct(entry.code, getRequired(entry.attributes));
  return product ? chooseRule(own, jurisdiction, product, getDay(own, entry), isLasting) : undefined;
};

/** Returns the hand-written holiday of the entry's product on the entry's first day. */
const getHoliday = (own: Release, { code, attributes, from, to }: CodeAndPeriod): Rule | undefined => {
  const product = getProduct(code, getRequired(attributes));
  if (product === null || from === null || to === null) return undefined;
  return chooseRule(own, own.jurisdictions[0], product, from, ({ effect }) => effect.type === 'holiday');
};

/** Returns the hand-written rules for local taxes that decide the entry's product. */
const ownLocalRules = (own: Release, subject: CodeAndPeriod): readonly Rule[] => {
  const [state] = own.jurisdictions;
  return localLevels.flatMap((type) => ownRule(own, subject, { ...state, code: `${state.code}-*`, type }) ?? []);
};

const generalGoods: CodeAndPeriod = { code: 'GENERAL', attributes: { any: [], none: [] }, from: null, to: null };

/**
 * Returns the cap of local taxes on the price of all goods, if the state has one and taxes the entry's goods. A cap also
 * applies to each payment of a rental (Fla. Admin. Code 12A-15.004(2)(b); Tennessee's notice of 2002-07-12).
 */
const localCapOn = (own: Release, { code, answer }: Entry): Effect | undefined => {
  // Alterations are a service, although the clothing is shipped.
  const isGoods = vocabulary().fulfillmentByName.get(code) === undefined && code !== 'CLOTHING.ALTERATIONS';
  const isTaxed = ['taxable', 'not_established'].includes(answer.state.type) && answer.local.type !== 'exempt';
  if (!isGoods || !isTaxed) return undefined;
  return ownLocalRules(own, generalGoods).find(({ effect }) => effect.type === 'base_cap')?.effect;
};

/**
 * Returns the hand-written rules of statewide taxes on the part of a price above the local cap, such as Tennessee's
 * single article tax.
 */
const listTaxesAboveCap = (own: Release): readonly Rule[] =>
  own.jurisdictions
    .slice(1)
    .flatMap((jurisdiction) => ownRule(own, generalGoods, jurisdiction) ?? [])
    .filter(({ effect }) => effect.type === 'band');

const buildEntry = (own: Release, row: TaxabilityRow, conditions: Conditions): Entry => ({
  code: row.code,
  attributes: getAttributes(row),
  answer: getAnswer(own, row, conditions),
  // An earlier law is assumed to apply on all days that the release covers before the law ended.
  from: row.from || (row.to === '' ? null : countsFrom(own)),
  to: row.to || null,
  // Removes "text read" notes: the confidence shows whether the text was read.
  citation:
    row.citation
      .replaceAll(/ \((?:texts? )?read(?: in part)?\)/g, '')
      .replaceAll(/\(texts? read(?: in part)?: /g, '(') || 'No source was found.',
});

const isAtLeast = (left: Confidence, right: Confidence): boolean =>
  confidences.indexOf(left) <= confidences.indexOf(right);

/**
 * Returns whether a hand-written rule decides instead of an entry. An entry with a different effect or an assumption
 * decides if it requires an attribute that the rule does not require, or if the rule has only the family of its code
 * and no higher confidence. An entry that is not established yields only to a rule with its exact code.
 */
const precedes = ({ attributes, effect, ptcs, confidence }: Rule, entry: Entry): boolean => {
  const { state } = entry.answer;
  if (state.type === 'not_established') return ptcs.includes(entry.code);
  if (JSON.stringify(state) === JSON.stringify(effect) && entry.answer.assumption === '') return true;
  const isNarrower = getRequired(entry.attributes).some((code) => !getRequired(attributes).includes(code));
  const isOfCode = !ptcs.includes(entry.code) && isAtLeast(entry.answer.confidence, confidence);
  return !isNarrower && !isOfCode;
};

/** Returns the entry of a row, or the reason why the row does not become a rule. */
const readRow = (own: Release, row: TaxabilityRow, conditions: Conditions): Entry | string => {
  if (row.code.startsWith('TOPIC:')) return 'it describes a topic, such as trade-ins, and no product';
  if (row.to !== '' && row.to < countsFrom(own)) return 'it ended before the days that the release covers';
  const entry = buildEntry(own, row, conditions);
  if (!getProduct(row.code, getRequired(entry.attributes)))
    return 'the vocabulary lacks the code with these attributes';
  const rule = ownRule(own, entry, own.jurisdictions[0]);
  const holiday = getHoliday(own, entry);
  if (holiday) return `the release has the holiday ${holiday.id}`;
  return rule && precedes(rule, entry) ? `the release has the rule ${rule.id}` : entry;
};

/** Returns the entries of the rows of one code, and the rows that do not become rules. */
const readCell = (own: Release, rows: readonly TaxabilityRow[], conditions: Conditions) => {
  const results = rows.map((row) => ({ row, result: readRow(own, row, conditions) }));
  const split = splitByUse(results.flatMap(({ result }) => (typeof result === 'string' ? [] : [result]))).filter(
    ({ to }) => to === null || to >= countsFrom(own),
  );
  const withDerived = [...split, ...listAnimalEntries(split), ...listImprovementEntries(split)];
  return {
    open: results.flatMap(({ row, result }): OpenRow[] =>
      typeof result === 'string' ? [{ row, reason: result }] : [],
    ),
    entries: [...withDerived, ...tiesAmong(withDerived, handWrittenOn(own, rows[0]?.code ?? ''))],
  };
};

/**
 * Returns the hand-written rules of a code by attribute, as entries: a product can have attributes of both a rule and a
 * row.
 */
const handWrittenOn = (own: Release, code: string): readonly Entry[] =>
  own.rules
    .filter((rule) => {
      const { ptcs, attributes, levels } = rule;
      const isOfState = levels === null || levels.includes('state');
      return isLasting(rule) && isOfState && ptcs.includes(code) && getRequired(attributes).length > 0;
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

/**
 * Returns entries for animals: a product that is exempt for people could be taxable for animals, so without a row its
 * treatment is not established.
 */
const listAnimalEntries = (entries: readonly Entry[]): readonly Entry[] => {
  if (entries.some(({ attributes }) => getRequired(attributes).includes(forAnimals))) return [];
  return entries
    .filter(({ answer, code, attributes }) => {
      const required = getRequired(attributes);
      return answer.state.type === 'exempt' && getProduct(code, [...required, forAnimals]) !== null;
    })
    .map((entry) => ({
      ...entry,
      attributes: requiring([...getRequired(entry.attributes), forAnimals], entry.attributes.none),
      answer: notEstablishedBecause('Products for people are exempt; no source covers products for animals.'),
    }));
};

const [onRealProperty, improvement] = ['_REAL_PROPERTY', '_CAPITAL_IMPROVEMENT'];

/**
 * Returns entries for capital improvements: they are work on real property, so without a row they are treated like it.
 * A product cannot have both attributes.
 */
const listImprovementEntries = (entries: readonly Entry[]): readonly Entry[] => {
  if (entries.some(({ attributes }) => getRequired(attributes).includes(improvement))) return [];
  return entries.flatMap((entry): Entry[] => {
    const required = getRequired(entry.attributes);
    const improving = required.map((code) => (code === onRealProperty ? improvement : code));
    if (!required.includes(onRealProperty) || !getProduct(entry.code, improving)) return [];
    return [{ ...entry, attributes: requiring(improving, entry.attributes.none) }];
  });
};

/** The content of a rule without its codes and id. Entries with equal content become one rule. */
type RuleContent = Omit<Rule, 'id' | 'ptcs' | 'source'> & { readonly citation: string };

const listContents = (own: Release, entry: Entry): readonly RuleContent[] => {
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
  const cap = localCapOn(own, entry);
  const local = cap ?? answer.local;
  const isOwnLocal = local.type === 'not_established' && state.type !== 'not_established';
  const precedesLocally = ({ attributes: ruleAttributes, ptcs }: Rule) =>
    isOwnLocal ||
    (ptcs.includes(entry.code) && getRequired(attributes).every((code) => getRequired(ruleAttributes).includes(code)));
  const following = isOwnLocal ? findFollowing(own.state, entry.code) : [];
  const likeState = following.flatMap(({ levels }) => levels);
  // Hand-written rules for local taxes decide the product on their levels, such as the cities of a state.
  const preceding = ownLocalRules(own, entry).filter(precedesLocally);
  if (preceding.length > 0) {
    const isOpen = (level: JurisdictionType) =>
      !preceding.some(({ levels }) => (levels ?? localLevels).includes(level));
    const others = (isOwnLocal ? likeState : localLevels).filter(isOpen);
    const effect = isOwnLocal ? withLocalRate(state) : local;
    return [ofState, ...(others.length > 0 ? [ofLevels(others, effect, answer.localAssumption)] : [])];
  }
  const ofDistricts = following
    .flatMap(({ kinds }) => kinds)
    .map((kind): RuleContent => ({ ...ofLevels(['district'], withLocalRate(state), ''), kinds: [kind] }));
  if (JSON.stringify(state) === JSON.stringify(local) && answer.localAssumption === '')
    return [ofLevels(null, state, answer.assumption)];
  if (likeState.length > 0) {
    const others = localLevels.filter((level) => !likeState.includes(level));
    const ofOthers = ofLevels(others, local, answer.localAssumption);
    return [ofState, ...ofDistricts, ofLevels(likeState, withLocalRate(state), ''), ofOthers];
  }
  const aboveCap = (cap ? listTaxesAboveCap(own) : []).map(
    ({ levels, jurisdictions = [], effect, source, ...rule }): RuleContent => ({
      ...ofLevels(levels, effect, ''),
      jurisdictions,
      confidence: rule.confidence,
      citation: own.sources[source] ?? citation,
    }),
  );
  return [ofState, ...ofDistricts, ofLevels(localLevels, local, answer.localAssumption), ...aboveCap];
};

const words = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const levelName = (levels: readonly JurisdictionType[]): string =>
  levels.find((level) => level === 'state' || levels.length === 1) ?? 'local';

/**
 * Returns the id of a rule: its state, its first code, its attributes, its level, and its first month if it has one.
 */
const getId = (
  state: string,
  { levels, kinds, jurisdictions, attributes, from }: RuleContent,
  [code = '']: readonly string[],
): string =>
  [
    `${state.toLowerCase()}-taxability-${words(code.slice(code.indexOf('.') + 1))}`,
    ...getRequired(attributes).map(words),
    ...(jurisdictions ?? kinds ?? (levels === null ? [] : [levelName(levels)])).map(words),
    ...(from === null ? [] : [from.slice(0, 7)]),
  ].join('-');

/**
 * Returns the rules of a state's rows for its release. A row does not become a rule if a hand-written rule
 * decides its product.
 */
const rulesFromRows = (own: Release, rows: readonly TaxabilityRow[], conditions: Conditions): FromRows => {
  const state = own.state.slice(3);
  const cells = [...Map.groupBy(rows, ({ code }) => code).values()].map((cell) => readCell(own, cell, conditions));
  const contents = cells.flatMap(({ entries }) =>
    entries.flatMap((entry) => listContents(own, entry).map((content) => ({ code: entry.code, content }))),
  );
  const citations = [...new Set(contents.map(({ content }) => content.citation))];
  const grouped = [...Map.groupBy(contents, ({ content }) => JSON.stringify(content)).values()];
  const rules = grouped.map((members): Rule => {
    const [first] = members;
    assert(first !== undefined, 'a group has no member');
    const { citation, ...content } = first.content;
    const ptcs = [...new Set(members.map(({ code }) => code))];
    return { id: getId(state, first.content, ptcs), ptcs, ...content, source: getKey(citations, citation) };
  });
  const ids = rules.map(({ id }) => id);
  const repeated = ids.filter((id, at) => ids.indexOf(id) !== at);
  assert(repeated.length === 0, `rules of ${state} share an id: ${repeated.join(', ')}`);
  return {
    rules,
    sources: Object.fromEntries(citations.map((citation) => [getKey(citations, citation), citation])),
    open: cells.flatMap(({ open }) => open),
  };
};

const getKey = (citations: readonly string[], citation: string): string => `row-${citations.indexOf(citation) + 1}`;

const releasesFolder = new URL('../../catalog/releases/', import.meta.url);

/** Reads the hand-written release of every state, in order. */
const readReleases = (): readonly Release[] =>
  readdirSync(releasesFolder)
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, releasesFolder), 'utf8')));

/**
 * Returns the built-in release of every state: its file with the rules of the state's taxability rows, and the rows that
 * do not become rules. Only `npm run pack`, `npm run content` and the tests use it.
 */
export const buildReleases = (): readonly { readonly release: Release; readonly open: FromRows['open'] }[] => {
  const byState = Map.groupBy(taxabilityRows(), ({ state }) => `US-${state}`);
  const conditions = readConditions();
  return readReleases().map((own) => {
    const { rules, sources, open } = rulesFromRows(own, byState.get(own.state) ?? [], conditions);
    return { release: { ...own, sources: { ...own.sources, ...sources }, rules: [...own.rules, ...rules] }, open };
  });
};
