/** Parses the part of DynamoDB's expression language that this service uses. Anything else is rejected. */
import { readFileSync } from 'node:fs';
import { getOrAdd } from '../../../shared/base/collections.ts';
import { invalid } from './exceptions.ts';

/** DynamoDB's reserved words: not allowed as attribute names in expressions, in any letter case (developer guide). */
export const reservedWords: ReadonlySet<string> = new Set(
  readFileSync(new URL('./reserved-words.txt', import.meta.url), 'utf8')
    .trim()
    .split(/\s+/),
);

export type Path = {
  readonly kind: 'path';
  readonly name: string;
  /** The names within maps, for a document path such as `settings.rounding`. */
  readonly inner: readonly string[];
};
export type Operand = Path | { readonly kind: 'value'; readonly name: string };
type Comparator = '=' | '<' | '<=' | '>' | '>=';
export type Test =
  | Comparator
  | ('BETWEEN' | 'IN' | 'begins_with' | 'contains' | 'attribute_exists' | 'attribute_not_exists');
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  /** A test that compares the first operand, which is a path if the test is a function, with the others. */
  | { readonly kind: 'test'; readonly by: Test; readonly operands: readonly Operand[] };
export type Assigned = Operand | { readonly kind: 'if_not_exists'; readonly path: Path; readonly otherwise: Operand };
/** A part of an update: SET and ADD have a value. */
type Part = { readonly path: Path; readonly set?: Assigned; readonly add?: Operand };

const token = /\s*(<=|>=|[=<>(),.]|[:#]?[A-Za-z_][A-Za-z0-9_]*|:[0-9A-Za-z_]+|#[0-9A-Za-z_]+)/y;

const tokenize = (expression: string): string[] => {
  const tokens: string[] = [];
  token.lastIndex = 0;
  const text = expression.trimEnd();
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (!found) throw invalid(`Syntax error in the expression: ${expression}`);
    tokens.push(found[1] as string);
  }
  if (tokens.length === 0) throw invalid('The expression can not be empty.');
  return tokens;
};

const comparators: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=']);
const existenceTests: ReadonlySet<string> = new Set(['attribute_exists', 'attribute_not_exists']);
const partTests: ReadonlySet<string> = new Set(['begins_with', 'contains']);

class Parser {
  readonly expression: string;
  readonly tokens: readonly string[];
  at = 0;

  constructor(expression: string) {
    this.expression = expression;
    this.tokens = tokenize(expression);
  }

  fail(): never {
    throw invalid(`Syntax error near ${this.tokens[this.at] ?? 'the end'} in the expression: ${this.expression}`);
  }
  peek = () => this.tokens[this.at];
  is = (word: string) => this.peek()?.toUpperCase() === word;
  take(word: string): boolean {
    if (!this.is(word)) return false;
    this.at++;
    return true;
  }
  need(word: string): void {
    if (!this.take(word)) this.fail();
  }
  end(): void {
    if (this.at < this.tokens.length) this.fail();
  }

  path(): Path {
    const name = this.name();
    const inner: string[] = [];
    while (this.take('.')) inner.push(this.name());
    return { kind: 'path', name, inner };
  }
  name(): string {
    const name = this.peek();
    if (name === undefined || !/^[#A-Za-z]/.test(name)) this.fail();
    if (reservedWords.has(name.toUpperCase()))
      throw invalid(`Attribute name is a reserved keyword; reserved keyword: ${name}`);
    this.at++;
    return name;
  }
  operand(): Operand {
    const name = this.peek();
    if (name?.startsWith(':')) {
      this.at++;
      return { kind: 'value', name };
    }
    return this.path();
  }
  inBrackets<Inner>(inner: () => Inner): Inner {
    this.need('(');
    const found = inner();
    this.need(')');
    return found;
  }

  condition = (): Condition => this.joined('or', () => this.joined('and', this.predicate));
  joined(kind: 'and' | 'or', next: () => Condition): Condition {
    let left = next();
    while (this.take(kind.toUpperCase())) left = { kind, left, right: next() };
    return left;
  }
  predicate = (): Condition => {
    if (this.is('(')) return this.inBrackets(this.condition);
    return this.tokens[this.at + 1] === '(' ? this.call() : this.comparison();
  };
  call(): Condition {
    const by = this.tokens[this.at] as Test;
    if (!existenceTests.has(by) && !partTests.has(by)) this.fail();
    this.at++;
    const operands = this.inBrackets(() => (partTests.has(by) ? this.pathAndOperand() : [this.path()]));
    return { kind: 'test', by, operands };
  }
  pathAndOperand(): [Path, Operand] {
    const path = this.path();
    this.need(',');
    return [path, this.operand()];
  }
  comparison(): Condition {
    const left = this.operand();
    if (this.take('BETWEEN')) {
      const from = this.operand();
      this.need('AND');
      return { kind: 'test', by: 'BETWEEN', operands: [left, from, this.operand()] };
    }
    if (this.take('IN')) {
      const among = this.inBrackets(() => this.several(() => this.operand()));
      return { kind: 'test', by: 'IN', operands: [left, ...among] };
    }
    const by = this.peek() ?? '';
    if (!comparators.has(by)) this.fail();
    this.at++;
    return { kind: 'test', by: by as Comparator, operands: [left, this.operand()] };
  }
  several<One>(one: () => One): One[] {
    const all = [one()];
    while (this.take(',')) all.push(one());
    return all;
  }

  assigned(): Assigned {
    if (this.peek() !== 'if_not_exists') return this.operand();
    this.at++;
    const [path, otherwise] = this.inBrackets(() => this.pathAndOperand());
    return { kind: 'if_not_exists', path, otherwise };
  }
  setting(): Part {
    const path = this.path();
    this.need('=');
    return { path, set: this.assigned() };
  }
  update(): Part[] {
    const parts: Part[] = [];
    const seen = new Set<string>();
    while (this.at < this.tokens.length) {
      const clause = (this.tokens[this.at] ?? '').toUpperCase();
      if (seen.has(clause)) this.fail();
      seen.add(clause);
      if (this.take('SET')) parts.push(...this.several(() => this.setting()));
      else if (this.take('REMOVE')) parts.push(...this.several(() => ({ path: this.path() })));
      else if (this.take('ADD')) parts.push(...this.several(() => ({ path: this.path(), add: this.operand() })));
      else this.fail();
    }
    return parts;
  }
}

const memoized = <Parsed>(parse: (parser: Parser) => Parsed) => {
  const known = new Map<string, Parsed>();
  return (expression: string): Parsed =>
    getOrAdd(known, expression, () => {
      const parser = new Parser(expression);
      const parsed = parse(parser);
      parser.end();
      return parsed;
    });
};

/** Expressions as syntax trees; each expression string is parsed once. */
export const parseCondition = memoized((parser) => parser.condition());
export const parseUpdate = memoized((parser) => parser.update());
export const parseProjection = memoized((parser) => parser.several(() => parser.path()));
