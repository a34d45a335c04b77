import type * as z from 'zod/mini';
import { rewordAdvice } from '../../base/command-error.ts';
import { valueAt } from '../../base/json.ts';
import { shareDays } from '../../catalog/effective.ts';
import { statesOfZip } from '../../catalog/location/zip-states.ts';
import { isOwnCode, ownCodePrefix } from '../../catalog/own-rules.ts';
import { settingNames } from '../../catalog/release.ts';
import { retailDeliveryFee } from '../../tax/document.ts';
import { stateFips, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { isWithin, parseProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import { vocabulary } from '../../vocabulary/vocabulary.ts';
import { didYouMean, fileSchema, type RulesFile } from './schema.ts';

/** Finds problems in the shape of a custom rules file, each with the path of its field. */

/** The keys and indexes that lead to a value. */
export type Path = readonly PropertyKey[];

/** Formats a path: `rules[0].effect.amount`. */
export const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

/** The problem of a field, and how to correct it. */
export type FieldProblem = { readonly path: Path; readonly message: string };

/**
 * Returns the message of an issue for which the schema has none. For unknown fields, it lists the fields of the object.
 */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return Object.keys((issue.inst as z.ZodMiniObject)._zod.def.shape).join(', ');
  if (issue.code === 'invalid_value') return `Use ${issue.values.join(' or ')}.`;
  return issue.code === 'invalid_type' ? `Use an ${issue.expected}.` : 'Use a value of this format.';
};

const listProblems = (issue: z.core.$ZodIssue, file: unknown): readonly FieldProblem[] => {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `Unknown field.${didYouMean(key, message.split(', '))} The fields are ${message}.`,
    }));
  const value = valueAt(file, path);
  const missing = value === undefined ? 'The field is missing. ' : '';
  if (issue.code === 'invalid_union') {
    const options = ('options' in issue ? (issue.options ?? []) : []).map(String);
    const unknown = typeof value === 'string' ? `Unknown name ${value}.${didYouMean(value, options)} ` : '';
    return [{ path, message: `${missing}${unknown}Use one of ${options.join(', ')}.` }];
  }
  return [{ path, message: `${missing}${rewordAdvice(message, 'Use')}` }];
};

/** Reads a parsed file: returns its values with defaults, or the problems of its shape. */
export const readShape = (value: unknown) => {
  const { success, data, error } = fileSchema().safeParse(value, { error: describeIssue });
  if (success) return { file: data, problems: [] };
  return { file: null, problems: error.issues.flatMap((issue) => listProblems(issue, value)) };
};

/** Finds problems in a custom rules file of the right shape: values that contradict each other or the state. */

type Dated = { readonly from: string; readonly to: string | null };
type Value = { readonly path: Path; readonly value: Dated & { readonly source: string } };

/** Returns every value that has days and a source. */
const listValues = ({ rates, rules, settings }: RulesFile): readonly Value[] => [
  ...rates.map((value, index) => ({ path: ['rates', index], value })),
  ...rules.map((value, index) => ({ path: ['rules', index], value })),
  ...settingNames.flatMap((name) => settings[name].map((value, index) => ({ path: ['settings', name, index], value }))),
];

/** Returns the problem of a field, if it has one. */
const problemIf = (isWrong: boolean, path: Path, message: string): readonly FieldProblem[] =>
  isWrong ? [{ path, message }] : [];

const dayProblems = ({ path, value: { from, to } }: Value): readonly FieldProblem[] =>
  problemIf(to !== null && to < from, [...path, 'to'], `\`to\` must be on or after ${from}.`);

const sourceProblems = ({ path, value: { source } }: Value, sources: RulesFile['sources']): readonly FieldProblem[] => {
  const message = `\`sources\` has no ${source}.${didYouMean(source, Object.keys(sources), 4)}`;
  return problemIf(!Object.hasOwn(sources, source), [...path, 'source'], message);
};

/** Reports values of one kind that apply on the same day, because only their order would decide between them. */
const overlapProblems = <Item extends Dated>(
  items: readonly Item[],
  path: Path,
  getKey: (item: Item) => readonly string[],
  describe: string,
): readonly FieldProblem[] =>
  items.flatMap((item, index) => {
    const keys = getKey(item);
    const before = items.slice(0, index);
    const first = before.findIndex(
      (other) => shareDays(item, other) && getKey(other).some((key) => keys.includes(key)),
    );
    const message = `${describe} ${path.join('.')}[${first}] on the same days. Keep one of them, or end one before the other begins.`;
    return problemIf(first >= 0, [...path, index], message);
  });

const listLevels = ({ id, levels }: RulesFile['rules'][number]): readonly string[] =>
  (levels ?? ['state', 'county', 'city', 'district']).map((level) => `${id} ${level}`);

const allOverlaps = ({ rates, rules, settings }: RulesFile): readonly FieldProblem[] => [
  ...overlapProblems(rates, ['rates'], ({ jurisdiction }) => [jurisdiction], 'It has the same jurisdiction as'),
  ...overlapProblems(rules, ['rules'], listLevels, 'It has the same id as'),
  ...settingNames.flatMap((name) =>
    overlapProblems<Dated & { readonly ptcs?: readonly string[] }>(
      settings[name],
      ['settings', name],
      ({ ptcs }) => ptcs ?? [name],
      'It overlaps',
    ),
  ),
];

/** Requires a code of the state, and a declaration for each custom code. */
const codeProblems = (code: string, path: Path, state: string, declared: ReadonlySet<string>) => {
  if (code !== state && !code.startsWith(`${state}-`)) return [{ path, message: `Use a jurisdiction of ${state}.` }];
  const message = `\`jurisdictions\` has no ${code}.${didYouMean(code, declared, 4)}`;
  return problemIf(isOwnCode(code) && !declared.has(code), path, message);
};

const usedCodes = ({ rates, rules, settings }: RulesFile) => [
  ...rates.map(({ jurisdiction }, index) => ({ path: ['rates', index, 'jurisdiction'], code: jurisdiction })),
  ...rules.flatMap(({ jurisdictions = [] }, index) =>
    jurisdictions.map((code, at) => ({ path: ['rules', index, 'jurisdictions', at], code })),
  ),
  ...settings.rounding.flatMap(({ policy }, index) =>
    (policy.method === 'bracket' ? policy.brackets : []).map(({ jurisdiction }, at) => ({
      path: ['settings', 'rounding', index, 'policy', 'brackets', at, 'jurisdiction'],
      code: jurisdiction,
    })),
  ),
];

const zipProblems = (zips: RulesFile['jurisdictions'][number]['zips'], path: Path, letters: string) =>
  zips.flatMap(([low, high], index) => {
    const foreign = [low, high].find((zip) => !statesOfZip(zip).includes(letters));
    return problemIf(foreign !== undefined, [...path, index], `${foreign} is not a ZIP of ${letters}.`);
  });

const jurisdictionProblems = ({ jurisdictions, rates }: RulesFile, state: string): readonly FieldProblem[] =>
  jurisdictions.flatMap(({ code, zips }, index) => {
    const path = ['jurisdictions', index];
    const prefix = ownCodePrefix(state);
    const isCustom = code.startsWith(prefix) && code !== prefix;
    const isRepeated = jurisdictions.findIndex((other) => other.code === code) < index;
    const isRated = rates.some(({ jurisdiction }) => jurisdiction === code);
    return [
      ...zipProblems(zips, [...path, 'zips'], stateOfJurisdiction(state)),
      ...problemIf(!isCustom, [...path, 'code'], `Use a custom code, which begins with ${prefix}.`),
      ...problemIf(isRepeated, [...path, 'code'], 'Use each code only once.'),
      ...problemIf(!isRated, path, `Add a rate for ${code} to \`rates\`: "0" if it has only a fee.`),
    ];
  });

/** Reports attributes that no product of a rule can have together: the rule would never apply. */
const attributeProblems = (
  { ptcs, attributes: { any, all = [], none } }: RulesFile['rules'][number],
  path: Path,
): readonly FieldProblem[] => {
  const required = any.length === 0 ? [all] : any.map((attribute) => [...all, attribute]);
  const allowed = required.filter((attributes) => !attributes.some((attribute) => none.includes(attribute)));
  const parsed = vocabulary()
    .productTaxCodes.filter((code) => ptcs.some((ptc) => isWithin(code, ptc)))
    .flatMap((code) => allowed.map((attributes) => parseProductTaxCode([code, ...attributes].join('.'))));
  const [first] = parsed;
  const why = first?.ok === false ? first.problems[0] : null;
  const message = why ? `${why.title}. ${why.detail}` : 'Remove from `none` what the rule requires.';
  return problemIf(!parsed.some(({ ok }) => ok), [...path, 'attributes'], message);
};

const ruleProblems = ({ rules }: RulesFile, state: string): readonly FieldProblem[] => {
  const letters = stateOfJurisdiction(state);
  const policy = `${letters.toLowerCase()}-shipping`;
  const isForeign = (county: string) => !county.startsWith(stateFips(letters));
  return rules.flatMap((rule, index) => {
    const { id, ptcs, effect, zips = [], counties = [], threshold_includes_shipping = false } = rule;
    const path = ['rules', index];
    const isPerOrder = effect.type === 'exempt_above' && effect.per !== undefined;
    const isTaxed = (ptc: string) => effect.type === 'flat_fee' && ptc !== retailDeliveryFee;
    const feeAdvice = `Use only ${retailDeliveryFee} with a flat_fee, because the fee replaces the tax of its line.`;
    const policyAdvice = `${id} is the shipping policy: set it in \`settings.shipping\`.`;
    return [
      ...ptcs.flatMap((ptc, at) => problemIf(isTaxed(ptc), [...path, 'ptcs', at], feeAdvice)),
      ...problemIf(id === policy, [...path, 'id'], policyAdvice),
      ...problemIf(
        isPerOrder && threshold_includes_shipping,
        [...path, 'threshold_includes_shipping'],
        'Omit it: only goods count toward an amount per order.',
      ),
      ...attributeProblems(rule, path),
      ...zipProblems(zips, [...path, 'zips'], letters),
      ...counties.flatMap((county, at) =>
        problemIf(isForeign(county), [...path, 'counties', at], `${county} is not a county of ${letters}.`),
      ),
    ];
  });
};

/** Returns the problems of a file's values. `state` is the state's jurisdiction code. */
export const valueProblems = (file: RulesFile, state: string): readonly FieldProblem[] => {
  const declared = new Set(file.jurisdictions.map(({ code }) => code));
  const codes = usedCodes(file).flatMap(({ path, code }) => codeProblems(code, path, state, declared));
  const values = listValues(file).flatMap((value) => [...dayProblems(value), ...sourceProblems(value, file.sources)]);
  return [
    ...values,
    ...jurisdictionProblems(file, state),
    ...codes,
    ...ruleProblems(file, state),
    ...allOverlaps(file),
  ];
};
