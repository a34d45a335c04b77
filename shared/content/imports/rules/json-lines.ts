/** A JSON parser that keeps the line of each value, so that problems can name it. */

/** The keys and indexes that lead to a value. */
export type Path = readonly PropertyKey[];

/** A path as text: `rules[0].effect.amount`. */
export const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

/** A repeated key of an object, which `JSON.parse` would drop silently. */
export type RepeatedKey = { readonly path: Path; readonly line: number };

export type JsonLines = {
  readonly value: unknown;
  /** The line of a value, from 1; of a missing one, the line of the object that it should be in. */
  readonly lineOf: (path: Path) => number;
  readonly repeated: readonly RepeatedKey[];
};

const depthMax = 20;

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** Reads one text. Throws an `Error` that names line and column where it is not JSON. */
class Reader {
  readonly lines = new Map<string, number>();
  readonly repeated: RepeatedKey[] = [];
  private at = 0;
  private line = 1;
  private lineStart = 0;
  private readonly text: string;
  private readonly name: string;

  constructor(text: string, name: string) {
    this.text = text;
    this.name = name;
  }

  whole(): unknown {
    const value = this.value([]);
    if (this.next() !== '') this.fail('the end of the file');
    return value;
  }

  private fail(expected: string): never {
    const found = this.text[this.at];
    const foundText = found === undefined ? 'the file ends' : `found ${found}`;
    throw new Error(
      `${this.name}, line ${this.line}, column ${this.at - this.lineStart + 1}: expected ${expected}, ${foundText}.`,
    );
  }

  /** The next character that is not white space; `''` at the end. */
  private next(): string {
    for (; ; this.at += 1) {
      const character = this.text[this.at] ?? '';
      if (character === '\n') {
        this.line += 1;
        this.lineStart = this.at + 1;
      } else if (character !== ' ' && character !== '\t' && character !== '\r') return character;
    }
  }

  private take(character: string, expected: string): void {
    if (this.next() !== character) this.fail(expected);
    this.at += 1;
  }

  private value(path: Path): unknown {
    const first = this.next();
    if (path.length > depthMax) this.fail(`at most ${depthMax} levels`);
    this.lines.set(pathText(path), this.line);
    if (first === '{') return this.object(path);
    if (first === '[') return this.array(path);
    return first === '"' ? this.string() : this.word();
  }

  private object(path: Path): object {
    const entries = new Map<string, unknown>();
    this.at += 1;
    if (this.next() !== '}')
      do {
        if (this.next() !== '"') this.fail('a name in double quotes');
        const { line } = this;
        const key = this.string();
        this.take(':', 'a colon');
        if (entries.has(key)) this.repeated.push({ path: [...path, key], line });
        entries.set(key, this.value([...path, key]));
      } while (this.hasMore('}'));
    this.at += 1;
    return Object.fromEntries(entries);
  }

  private array(path: Path): unknown[] {
    const values: unknown[] = [];
    this.at += 1;
    if (this.next() !== ']')
      do {
        values.push(this.value([...path, values.length]));
      } while (this.hasMore(']'));
    this.at += 1;
    return values;
  }

  /** Whether a comma follows, or else the end of the object or array. */
  private hasMore(end: string): boolean {
    const found = this.next();
    if (found !== ',' && found !== end) this.fail(`a comma or ${end}`);
    if (found === ',') this.at += 1;
    return found === ',';
  }

  private string(): string {
    const quoted = /"(?:[^"\\\n]|\\.)*"/y;
    quoted.lastIndex = this.at;
    const found = quoted.exec(this.text)?.[0];
    if (found === undefined) this.fail('a string that ends with a double quote on its line');
    try {
      const text: string = JSON.parse(found);
      this.at += found.length;
      return text;
    } catch {
      return this.fail('a string without control characters and unknown escapes');
    }
  }

  private word(): unknown {
    const pattern = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) this.fail('a value');
    this.at += found.length;
    return found in words ? words[found] : Number(found);
  }
}

/** Parse the text of the file `name`. Throws an `Error` with line and column where it is not JSON. */
export const parseJsonLines = (text: string, name: string): JsonLines => {
  const reader = new Reader(text.replace(/^\uFEFF/, ''), name);
  const value = reader.whole();
  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = reader.lines.get(pathText(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return reader.lines.get('') ?? 1;
  };
  return { value, lineOf, repeated: reader.repeated };
};
