import { isUtf8 } from 'node:buffer';
import { asObject, describeJsonError } from '../../base/json.ts';
import { builtInRelease } from '../../catalog/built-in.ts';
import { codesInTable } from '../../catalog/local/local-table.ts';
import { isOwnCode, ownFormat, ownSource } from '../../catalog/own-rules.ts';
import type { OwnRules, Release } from '../../catalog/release.ts';
import { stateCode, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { openFile } from '../files/open-file.ts';
import type { Entry, Importer, Read } from '../importer.ts';
import { type FieldProblem, type Path, pathText, readShape, valueProblems } from './problems.ts';
import type { RulesFile } from './schema.ts';

/** Parses JSON and finds the line of each value, so that error messages can include it. */

/** A repeated key of an object, which `JSON.parse` would drop silently. */
type RepeatedKey = { readonly path: Path; readonly line: number };

const depthMax = 20;

/** The tokens of valid JSON and its line ends. No white space is between a string and its quotes. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,\n]|[^\s[\]{}:,]+/g;

/** An object or array that is not closed yet. `part` is the current key or index; `keys` is `null` in an array. */
type Open = { readonly path: Path; readonly keys: Set<string> | null; part: PropertyKey | null };

/**
 * Returns the line of each value of valid JSON, by its path as a string, and the repeated keys. Throws if values are
 * nested too deep.
 */
const scan = (text: string, name: string) => {
  const lines = new Map<string, number>();
  const repeated: RepeatedKey[] = [];
  const open: Open[] = [];
  let line = 1;
  for (const [token] of text.matchAll(tokens)) {
    const container = open.at(-1);
    if (token === '\n') line += 1;
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && container) container.part = container.keys ? null : Number(container.part) + 1;
    else if (container?.keys && container.part === null) {
      const key: string = JSON.parse(token);
      if (container.keys.has(key)) repeated.push({ path: [...container.path, key], line });
      container.keys.add(key);
      container.part = key;
    } else if (token !== ':') {
      const path = container ? [...container.path, container.part as PropertyKey] : [];
      if (path.length > depthMax)
        throw new Error(`${name}, line ${line}: values are nested more than ${depthMax} deep.`);
      lines.set(pathText(path), line);
      if (token === '{') open.push({ path, keys: new Set(), part: null });
      if (token === '[') open.push({ path, keys: null, part: 0 });
    }
  }
  return { lines, repeated };
};

/** Parses the content of the file `name`. Throws an `Error` with line and column if it is not JSON. */
export const parseJsonLines = (file: string, name: string) => {
  const text = file.replace(/^\uFEFF/, '');
  const error = describeJsonError(text);
  if (error) throw new Error(`${name}, line ${error.line}, column ${error.column}: expected ${error.expected}.`);
  const { lines, repeated } = scan(text, name);
  /** Returns the line of a value, from 1. For a missing value, the line of the object that should contain it. */
  const getLine = (path: Path): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = lines.get(pathText(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return lines.get('') ?? 1;
  };
  return { value: JSON.parse(text) as unknown, getLine, repeated };
};
type JsonLines = ReturnType<typeof parseJsonLines>;

// The head of each later release of the state repeats the rules, and the limit for an item is 400 KB compressed.
const bytesMax = 500_000;

type Parsed = JsonLines & { readonly name: string };

/** Reads a file as JSON. Throws if it is too large, is not UTF-8 text, or is not JSON. */
const parseFile = async (path: string): Promise<Parsed> => {
  const { name, bytes, size, close } = await openFile(path);
  try {
    if (size > bytesMax) throw new Error(`${name} is ${size} bytes; the limit for custom rules is ${bytesMax}.`);
    const content = Buffer.concat(await bytes.toArray());
    if (!isUtf8(content)) throw new Error(`${name} is not UTF-8 text. Save it as UTF-8.`);
    return { name, ...parseJsonLines(content.toString(), name) };
  } finally {
    close();
  }
};

const wrongState = (text: string, letters: string): FieldProblem | null => {
  if (stateCode(text.replace(/^US-/i, '')) === letters) return null;
  return { path: ['state'], message: `The file is for "${text}", but --state is ${letters}. Use one state.` };
};

const listProblems = (parsed: Parsed, letters: string) => {
  const repeated = parsed.repeated.map(({ path }) => ({ path, message: 'Write each field once.' }));
  const { file, problems } = readShape(parsed.value);
  if (!file) return { file, problems: [...repeated, ...problems] };
  const state = wrongState(file.state, letters);
  const values = state ? [state] : valueProblems(file, `US-${letters}`);
  return { file, problems: [...repeated, ...values] };
};

const cited = <Value extends { readonly source: string }>(values: readonly Value[]): Value[] =>
  values.map((value) => ({ ...value, source: `${ownSource}${value.source}` }));

const buildOwnRules = (file: RulesFile, { jurisdictions: [state] }: Release): OwnRules => ({
  sources: Object.fromEntries(Object.entries(file.sources).map(([key, text]) => [`${ownSource}${key}`, text.trim()])),
  jurisdictions: file.jurisdictions.map((one) => ({ ...one, tax_type: state.tax_type })),
  rates: cited(file.rates),
  rules: cited(file.rules),
  settings: {
    // A rule for some products precedes the rule for all others.
    sourcing: cited(file.settings.sourcing.toSorted((a, b) => Number(!a.ptcs) - Number(!b.ptcs))),
    shipping: cited(file.settings.shipping),
    rounding: cited(file.settings.rounding),
    coupons: cited(file.settings.coupons),
  },
});

/**
 * Returns remarks about values that are valid but may be mistakes: codes missing from Levy's tables, and replaced
 * rules.
 */
const listRemarks = ({ rates, rules }: RulesFile, base: Release, getLine: JsonLines['getLine']): readonly Entry[] => {
  const builtIn = builtInRelease(stateOfJurisdiction(base.state));
  const known = new Set([
    base.state,
    ...base.jurisdictions.map(({ code }) => code),
    ...(builtIn?.local ? codesInTable(builtIn) : []),
  ]);
  const ids = new Set(base.rules.map(({ id }) => id));
  const unknown = rates.flatMap(({ jurisdiction: code }, index): Entry[] => {
    if (known.has(code) || isOwnCode(code)) return [];
    const reason = `${code} is not in Levy's tables: the rate applies only if an imported file has this code`;
    return [{ kind: 'remark', line: getLine(['rates', index, 'jurisdiction']), reason }];
  });
  const replacing = rules.flatMap(({ id }, index): Entry[] => {
    if (!ids.has(id)) return [];
    const reason = `rule ${id} replaces the built-in rule with this id on its days`;
    return [{ kind: 'remark', line: getLine(['rules', index, 'id']), reason }];
  });
  return [...unknown, ...replacing];
};

/**
 * Reads a file of custom rules. Each problem includes the line and the field; a file with a problem yields no rules.
 */
const readRules: Read = async function* ([path = ''], { state, base }) {
  const parsed = await parseFile(path);
  yield { kind: 'file', name: parsed.name };
  const { file, problems } = listProblems(parsed, state);
  const located = problems.map(({ path, message }) => ({ line: parsed.getLine(path), path, message }));
  for (const { line, path, message } of located.toSorted((left, right) => left.line - right.line))
    yield { kind: 'bad', line, reason: path.length === 0 ? message : `${pathText(path)}: ${message}` };
  if (file && problems.length === 0) {
    yield* listRemarks(file, base, parsed.getLine);
    yield { kind: 'own', own: buildOwnRules(file, base) };
  }
  const values = file ? [file.rates, file.rules, ...Object.values(file.settings)].flat() : [];
  yield { kind: 'rows', count: Math.max(values.length, problems.length) };
};

export const rules: Importer = {
  format: ownFormat,
  describe: 'Custom rules, rates and settings of one state, as JSON',
  files: [{ option: 'file', describe: 'own-rules.json' }],
  onlyState: null,
  stateIn: async ([path = '']) => {
    const state = asObject((await parseFile(path)).value)?.['state'];
    return typeof state === 'string' ? state.replace(/^US-/i, '') : null;
  },
  confidence: 'high',
  read: readRules,
};
