import { parseAst } from 'vitest/node';

/**
 * Finds regular expressions whose running time is not linear in the length of the input.
 *
 * A backtracking engine takes quadratic time or more only if a text can be read in many ways: there are positions p ≠ q
 * of the pattern and a text v so that v leads from p to p, from p to q and from q to q (Weber and Seidl, 1991, "On the
 * degree of ambiguity of finite automata", criterion IDA), or two ways from p to p (EDA, exponential). A pattern that
 * can begin anywhere in the text has an additional first position that reads any character. If the pattern can end at q
 * without a condition, it matches there and does not backtrack. The check has false positives but no false negatives: a
 * large number of repetitions counts as unlimited, and a condition as one that can fail.
 */

type Atom = { readonly kind: 'atom'; readonly source: string };
type Node =
  | Atom
  /** A condition: `^`, `$`, `\b` or a lookaround. */
  | { readonly kind: 'condition' }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number };

type Parsed = { readonly node: Node; readonly lookarounds: readonly Node[]; readonly hasBackreference: boolean };

const quantifier = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y;
const characterClass = /\[(?:\\.|[^\]\\])*\]/y;
const escaped = /\\(?:u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|c[A-Z]|.)/y;
const groupStart = /\((?:\?(?:(:)|(?:<?[=!])|<\w+>))?/y;

/** Parses the source of a pattern. */
const parse = (source: string): Parsed => {
  let [at, hasBackreference] = [0, false];
  const lookarounds: Node[] = [];
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found) at = token.lastIndex;
    return found;
  };
  const group = (start: string): Node => {
    const inner = alternatives();
    at += 1;
    if (!/[=!]$/.test(start)) return inner;
    lookarounds.push(inner);
    return { kind: 'condition' };
  };
  const single = (): Node => {
    const start = take(groupStart);
    if (start) return group(start[0]);
    const [text] = take(characterClass) ?? take(escaped) ?? [];
    if (text !== undefined && /^\\(?:[1-9]|k)/.test(text)) hasBackreference = true;
    if (text === '\\b' || text === '\\B') return { kind: 'condition' };
    if (text !== undefined) return { kind: 'atom', source: text };
    const sign = String.fromCodePoint(source.codePointAt(at) ?? 0);
    at += sign.length;
    return sign === '^' || sign === '$' ? { kind: 'condition' } : { kind: 'atom', source: sign };
  };
  const repeated = (): Node => {
    const of = single();
    const found = take(quantifier);
    if (!found) return of;
    const [text, low, comma, high] = found;
    if (low !== undefined) {
      const max = comma === undefined ? Number(low) : high === '' ? Number.POSITIVE_INFINITY : Number(high);
      return { kind: 'repeat', of, min: Number(low), max };
    }
    const max = text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', of, min: text.startsWith('+') ? 1 : 0, max };
  };
  const sequence = (): Node => {
    const of: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') of.push(repeated());
    return { kind: 'all', of };
  };
  function alternatives(): Node {
    const of = [sequence()];
    while (source[at] === '|') {
      at += 1;
      of.push(sequence());
    }
    return { kind: 'any', of };
  }
  const node = alternatives();
  return { node, lookarounds, hasBackreference };
};

/** More repetitions than this count as unlimited. */
const copiesMax = 12;

/** The first and last positions of a part of a pattern (Glushkov's construction). `free` means without a condition. */
type Ends = {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly freeLast: readonly number[];
  readonly isEmpty: boolean;
  readonly isFreeEmpty: boolean;
};

const nothing: Ends = { first: [], last: [], freeLast: [], isEmpty: true, isFreeEmpty: true };

/** The positions of a pattern, and the positions that can follow each position, repeated once per way. */
class Positions {
  readonly atoms: string[] = [];
  readonly follow: number[][] = [];

  listEnds(node: Node): Ends {
    switch (node.kind) {
      case 'atom': {
        const at = this.atoms.push(node.source) - 1;
        this.follow.push([]);
        return { first: [at], last: [at], freeLast: [at], isEmpty: false, isFreeEmpty: false };
      }
      case 'condition':
        return { ...nothing, isFreeEmpty: false };
      case 'all':
        return node.of.reduce<Ends>((before, one) => this.join(before, this.listEnds(one)), nothing);
      case 'any':
        return this.either(node.of.map((one) => this.listEnds(one)));
      case 'repeat':
        return this.repeated(node);
    }
  }

  private join(a: Ends, b: Ends): Ends {
    for (const last of a.last) this.follow[last]?.push(...b.first);
    return {
      first: a.isEmpty ? [...a.first, ...b.first] : a.first,
      last: b.isEmpty ? [...a.last, ...b.last] : b.last,
      freeLast: b.isFreeEmpty ? [...a.freeLast, ...b.freeLast] : b.freeLast,
      isEmpty: a.isEmpty && b.isEmpty,
      isFreeEmpty: a.isFreeEmpty && b.isFreeEmpty,
    };
  }

  private either(all: readonly Ends[]): Ends {
    return {
      first: all.flatMap(({ first }) => first),
      last: all.flatMap(({ last }) => last),
      freeLast: all.flatMap(({ freeLast }) => freeLast),
      isEmpty: all.some(({ isEmpty }) => isEmpty),
      isFreeEmpty: all.some(({ isFreeEmpty }) => isFreeEmpty),
    };
  }

  private repeated({ of, min, max }: Node & { readonly kind: 'repeat' }): Ends {
    const optional = (ends: Ends): Ends => ({ ...ends, isEmpty: true, isFreeEmpty: true });
    const isLoop = max > copiesMax;
    let ends = nothing;
    for (let count = Math.min(min, copiesMax); count > (isLoop ? 1 : 0); count -= 1)
      ends = this.join(ends, this.listEnds(of));
    if (isLoop) {
      const loop = this.listEnds(of);
      for (const last of loop.last) this.follow[last]?.push(...loop.first);
      return this.join(ends, min === 0 ? optional(loop) : loop);
    }
    // Nests the repetitions, a(a(a)?)?, so no text can be read in two ways.
    const copies = Array.from({ length: max - Math.min(min, copiesMax) }, () => this.listEnds(of));
    return this.join(
      ends,
      copies.reduceRight((rest, one) => optional(this.join(one, rest)), nothing),
    );
  }
}

/** One character of each class that the patterns distinguish. */
const characters = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u00e9\u00c9\u00df\u0131\u017f\u212a\u200b\u00a0\ufdfd\uff1d\uff11\u0301\ufeff\ufffd\u2028\u2013\u2026\u2019\u{1f600}',
];

const fails = (positions: Positions, { first, freeLast }: Ends, flags: string, isAnywhere: boolean): boolean => {
  const { atoms, follow } = positions;
  const unicode = flags.replaceAll(/[gyd]/g, '');
  const matchers = atoms.map((atom) => new RegExp(`^${/^[/]$/.test(atom) ? `\\${atom}` : atom}$`, unicode));
  const start = atoms.length;
  const next = isAnywhere ? [...follow, [start, ...first]] : follow;
  const reads = (at: number, sign: string) => at === start || matchers[at]?.test(sign) === true;
  // Merges characters that all positions treat the same.
  const signs = [
    ...new Map(
      characters.map((sign) => [next.map((_, at) => (reads(at, sign) ? 1 : 0)).join(''), sign] as const),
    ).values(),
  ];
  const step = next.map((targets) => signs.map((sign) => targets.filter((at) => reads(at, sign))));
  const ways = (at: number, sign: number) => step[at]?.[sign] ?? [];
  const reaches = (from: readonly number[], to: readonly number[]): boolean => {
    const seen = new Set<string>();
    const open = [from];
    for (let now = open.pop(); now; now = open.pop())
      for (const sign of signs.keys())
        for (const moved of now.reduce<number[][]>(
          (sets, at) => sets.flatMap((set) => ways(at, sign).map((one) => [...set, one])),
          [[]],
        )) {
          if (moved.every((at, index) => at === to[index])) return true;
          const key = moved.join();
          if (!seen.has(key)) open.push(moved);
          seen.add(key);
        }
    return false;
  };
  const loops = [...next.keys()].filter((at) => reaches([at], [at]));
  const isTwice = (at: number) =>
    signs
      .keys()
      .some((sign) => ways(at, sign).some((to, index, all) => all.indexOf(to) !== index && reaches([to], [at])));
  return loops.some(
    (p) =>
      isTwice(p) ||
      loops.some((q) => q !== p && !freeLast.includes(q) && reaches([p], [q]) && reaches([p, p, q], [p, q, q])),
  );
};

const beginsWithStart = (node: Node, source: string): boolean =>
  node.kind === 'any' && node.of.length === 1 && source.startsWith('^');

const hasLoop = (node: Node): boolean =>
  node.kind === 'repeat'
    ? node.max > copiesMax || hasLoop(node.of)
    : (node.kind === 'all' || node.kind === 'any') && node.of.some(hasLoop);

/** Returns whether a pattern can take more than linear time on some input. */
export const isSlow = ({ source, flags }: Pick<RegExp, 'source' | 'flags'>): boolean => {
  const { node, lookarounds, hasBackreference } = parse(source);
  // The automaton does not bound the time of a backreference.
  if (hasBackreference || lookarounds.some(hasLoop)) return true;
  const isAnchored = flags.includes('y') || (!flags.includes('m') && beginsWithStart(node, source));
  const positions = new Positions();
  return fails(positions, positions.listEnds(node), flags, !isAnchored);
};

/** Returns the regular expression literals in a TypeScript file. */
export const patternsIn = (text: string): readonly RegExp[] => {
  const found: RegExp[] = [];
  JSON.stringify(parseAst(text, { lang: 'ts' }), (name, value) => {
    if (name === 'regex' && value) found.push(new RegExp(value.pattern, value.flags));
    return typeof value === 'bigint' ? String(value) : value;
  });
  return found;
};
