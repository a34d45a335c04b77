/** Turns the rows of a state into rules of its release. */
import { assert } from '../../assert.ts';
import { decimal, decimalText } from '../../money/decimal.ts';
import { chooseRule } from '../../tax/rule-choice.ts';
import { findProduct } from '../../vocabulary/product-tax-code.ts';
import type { Effect, Release, Rule } from '../release.ts';
import type { Jurisdiction, JurisdictionType } from '../release-values.ts';
import type { TaxabilityRow } from './read-rows.ts';

/** A row that is no rule, and why. */
export type OpenRow = { readonly row: TaxabilityRow; readonly reason: string };

/** The rules of a state's rows with their sources, and the rows that are no rules. */
export type FromRows = Pick<Release, 'rules' | 'sources'> & { readonly open: readonly OpenRow[] };

/** The prefix of the sources of these rules. Their ids have it after the state. */
const prefix = 'taxability-';

/** Whether a rule was made from a row. */
export const isFromRow = ({ source }: Pick<Rule, 'source'>): boolean => source.startsWith(prefix);

const localLevels: readonly JurisdictionType[] = ['county', 'city', 'district'];

/** States where cities or counties have rules of their own: the rows bind the state only, and local taxes have no rule. */
const statesWithOwnLocalRules = ['AL', 'AZ', 'CO', 'IL', 'LA'];

/** Conditions that a sale without attributes meets: for use at home, and taxable because no prescription is known. */
const isMet = ({ condition, treatment }: TaxabilityRow): boolean =>
  condition === '' || condition === 'home_use' || (condition === 'prescription_only' && treatment === 'taxable');

type Attributes = Rule['attributes'];

/** The attributes of a row: `any` has at most one. */
const attributesOf = ({ attributes }: TaxabilityRow): Attributes => {
  const all = attributes === '' ? [] : attributes.split('+');
  return {
    any: all.filter((one) => !one.startsWith('-')),
    none: all.filter((one) => one.startsWith('-')).map((one) => one.slice(1)),
  };
};

const productOf = (code: string, attributes: readonly string[]) => findProduct([code, ...attributes].join('.'));

const isLasting = ({ effect, season }: Rule): boolean => effect.type !== 'holiday' && season === undefined;

/** The rule of a release that is not from a row and decides about the product of a row in a jurisdiction. */
const ownRule = (release: Release, row: TaxabilityRow, jurisdiction: Jurisdiction): Rule | undefined => {
  const product = productOf(row.code, attributesOf(row).any);
  const rules = release.rules.filter((rule) => !isFromRow(rule) && isLasting(rule));
  return product ? chooseRule({ ...release, rules }, jurisdiction, product, release.id.slice(6, 16)) : undefined;
};

const ownStateRule = (release: Release, row: TaxabilityRow) => ownRule(release, row, release.jurisdictions[0]);

/** The rules for local taxes that are not from a row, and decide about the product of a row. */
const ownLocalRules = (release: Release, row: TaxabilityRow): readonly Rule[] => {
  const [state] = release.jurisdictions;
  return localLevels.flatMap((type) => ownRule(release, row, { ...state, code: `${state.code}-*`, type }) ?? []);
};

/** A rule for local taxes that contradicts a row. */
const contradictingRule = (release: Release, row: TaxabilityRow): Rule | undefined => {
  if (statesWithOwnLocalRules.includes(row.state)) return undefined;
  const isExempt = localEffectOf(row).type === 'exempt';
  return ownLocalRules(release, row).find(({ effect }) => (effect.type === 'exempt') !== isExempt);
};

/** Whether a row applies to the state only, because local taxes have other rules for the product, such as a cap. */
const isStateOnly = (release: Release, row: TaxabilityRow): boolean =>
  statesWithOwnLocalRules.includes(row.state) ||
  ownLocalRules(release, row).some(({ effect: { type } }) => type !== 'taxable' && type !== 'exempt');

/** Why a row is no rule; `null` if it is one. */
const reasonAgainst = (release: Release, row: TaxabilityRow): string | null => {
  const { code, treatment, condition, local, confidence } = row;
  if (code.startsWith('TOPIC:')) return 'it is about a topic';
  if (!productOf(code, attributesOf(row).any)) return 'the vocabulary lacks the code with these attributes';
  const own = ownStateRule(release, row) ?? contradictingRule(release, row);
  if (own) return `the release has the rule ${own.id}`;
  if (confidence === 'low') return 'its confidence is low';
  if (!['taxable', 'exempt', 'rate'].includes(treatment)) return `the treatment ${treatment} is no rule yet`;
  if (!isMet(row)) return `the condition ${condition} is no rule yet`;
  if (local === 'own' && !statesWithOwnLocalRules.includes(row.state)) return 'the local treatment is no rule yet';
  if (attributesOf(row).any.length > 1) return 'it needs several attributes together';
  return null;
};

const effectOf = ({ treatment, state_rate }: TaxabilityRow): Effect => {
  if (treatment !== 'rate') return { type: treatment === 'exempt' ? 'exempt' : 'taxable' };
  const { units, scale } = decimal(state_rate);
  return { type: 'rate', rate: decimalText({ units, scale: scale + 2 }) };
};

const localEffectOf = ({ treatment, local }: TaxabilityRow): Effect => {
  const isExempt = local === 'none' || (local === 'same' && treatment === 'exempt');
  return { type: isExempt ? 'exempt' : 'taxable' };
};

/** The content of a rule without its codes. Rows with equal content become one rule. */
type RuleContent = Omit<Rule, 'id' | 'ptcs' | 'source'> & { readonly citation: string };

/** The levels that a row binds, each with its effect. */
const effectsOf = (release: Release, row: TaxabilityRow): readonly Pick<Rule, 'levels' | 'effect'>[] => {
  const [state, local] = [effectOf(row), localEffectOf(row)];
  if (isStateOnly(release, row)) return [{ levels: ['state'], effect: state }];
  if (JSON.stringify(state) === JSON.stringify(local)) return [{ levels: null, effect: state }];
  return [
    { levels: ['state'], effect: state },
    { levels: localLevels, effect: local },
  ];
};

const contentsOf = (release: Release, row: TaxabilityRow, excluded: readonly string[]): readonly RuleContent[] => {
  const { any, none } = attributesOf(row);
  return effectsOf(release, row).map(({ levels, effect }) => ({
    levels,
    attributes: { any, none: [...new Set([...none, ...excluded])].sort() },
    effect,
    from: row.from || null,
    to: row.to || null,
    citation: row.citation,
    // Until a second reader has found the law again, each of these rules warns.
    confidence: 'medium',
  }));
};

/** The attributes of another row that a row does not require; `null` if no product can have the attributes of both. */
const lacking = (row: TaxabilityRow, other: TaxabilityRow): readonly string[] | null => {
  const [ofRow, ofOther] = [attributesOf(row), attributesOf(other)];
  const both = new Set([...ofRow.any, ...ofOther.any]);
  if ([...ofRow.none, ...ofOther.none].some((code) => both.has(code))) return null;
  if (productOf(row.code, [...both]) === null) return null;
  return ofOther.any.filter((code) => !ofRow.any.includes(code));
};

/** Whether two rows treat a product with the attributes of both differently. */
const isConflict = (release: Release, row: TaxabilityRow, other: TaxabilityRow): boolean => {
  if (!lacking(row, other)?.length || !lacking(other, row)?.length) return false;
  const contentOf = (one: TaxabilityRow) => JSON.stringify([effectsOf(release, one), one.from, one.to]);
  return contentOf(row) !== contentOf(other);
};

/**
 * The attributes that exclude the products of open rows from a rule: those products have no rule, and so a warning. Of the
 * attributes that a product of both rows adds, one is enough: one with a row of its own, if there is any.
 */
const excludedFrom = (row: TaxabilityRow, open: readonly TaxabilityRow[], cell: readonly TaxabilityRow[]): string[] => [
  ...open.flatMap((other) => {
    const added = lacking(row, other) ?? [];
    return added.find((code) => cell.some(({ attributes }) => attributes === code)) ?? added.slice(0, 1);
  }),
  // What is exempt for people may be taxed for animals.
  ...(row.treatment === 'exempt' && !cell.some(({ attributes }) => attributes.includes(forAnimals))
    ? animalsOf(row)
    : []),
];

const forAnimals = '_ANIMAL_USE';
const animalsOf = (row: TaxabilityRow): string[] =>
  productOf(row.code, [...attributesOf(row).any, forAnimals]) === null ? [] : [forAnimals];

/** Whether a row is for one use. The use of a buyer reaches only the effect `use_split`. */
const isByUse = ({ attributes }: TaxabilityRow): boolean => /_(BUSINESS|PERSONAL)_USE/.test(attributes);

/** The rows of one code: those that are rules, and the others. */
const readCell = (release: Release, rows: readonly TaxabilityRow[]) => {
  const open = rows.flatMap((row): OpenRow[] => {
    const reason = reasonAgainst(release, row) ?? (rows.some(isByUse) ? 'it depends on the use of the buyer' : null);
    return reason === null ? [] : [{ row, reason }];
  });
  const known = rows.filter((row) => !open.some((one) => one.row === row));
  const conflicting = known.filter((row) => known.some((other) => isConflict(release, row, other)));
  const reason = 'another row decides differently about a product with both attributes';
  const all = [...open, ...conflicting.map((row): OpenRow => ({ row, reason }))];
  const undecided = all.map(({ row }) => row).filter((row) => !ownStateRule(release, row));
  return {
    open: all,
    contents: known
      .filter((row) => !conflicting.includes(row))
      .flatMap((row) =>
        contentsOf(release, row, excludedFrom(row, undecided, rows)).map((content) => ({ code: row.code, content })),
      ),
  };
};

const words = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The id of a rule: its state, its first code, its attribute, its level, and its first year if it has one. */
const idOf = (state: string, { levels, attributes, from }: RuleContent, [code = '']: readonly string[]): string =>
  [
    `${state.toLowerCase()}-${prefix}${words(code.slice(code.indexOf('.') + 1))}`,
    ...attributes.any.map(words),
    ...(levels === null ? [] : [levels.length === 1 ? 'state' : 'local']),
    ...(from === null ? [] : [from.slice(0, 4)]),
  ].join('-');

/** The rules of a state's rows, for its release. The release's own rules stand: a row that they decide is no rule. */
export const rulesFromRows = (release: Release, rows: readonly TaxabilityRow[]): FromRows => {
  const state = release.state.slice(3);
  const cells = [...Map.groupBy(rows, ({ code }) => code).values()].map((cell) => readCell(release, cell));
  const grouped = Map.groupBy(
    cells.flatMap(({ contents }) => contents),
    ({ content }) => JSON.stringify(content),
  );
  const citations = [...new Set(cells.flatMap(({ contents }) => contents.map((one) => one.content.citation)))];
  const keyOf = (citation: string) => `${prefix}${citations.indexOf(citation) + 1}`;
  const rules = [...grouped.values()].map((members): Rule => {
    const [first] = members;
    assert(first !== undefined, 'a group has a member');
    const { citation, levels, attributes, effect, from, to, confidence } = first.content;
    const ptcs = [...new Set(members.map(({ code }) => code))];
    return {
      id: idOf(state, first.content, ptcs),
      levels,
      ptcs,
      attributes,
      effect,
      from,
      to,
      source: keyOf(citation),
      confidence,
    };
  });
  const ids = new Set(rules.map(({ id }) => id));
  assert(
    ids.size === rules.length,
    `rules of ${state} have one id: ${rules
      .map(({ id }) => id)
      .filter((id, at, all) => all.indexOf(id) !== at)
      .join()}`,
  );
  return {
    rules,
    sources: Object.fromEntries(citations.map((citation) => [keyOf(citation), citation])),
    open: cells.flatMap(({ open }) => open),
  };
};
