/** A value whose JSON is a text of one's own: what `JSON.stringify` would not write. */
export class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const mark = '\u2063verbatim:';

/** JSON with each `Verbatim` inserted unchanged. */
export const jsonText = (value: unknown): string => {
  const texts: string[] = [];
  const text = JSON.stringify(value, (_name, inner) =>
    inner instanceof Verbatim ? `${mark}${texts.push(inner.text) - 1}${mark}` : inner,
  );
  if (texts.length === 0) return text ?? 'null';
  return text.replaceAll(new RegExp(`"${mark}(\\d+)${mark}"`, 'g'), (_whole, at) => texts[Number(at)] ?? 'null');
};

const nested = (levels: number, open: string, close: string) =>
  new Verbatim(`${open.repeat(levels)}1${close.repeat(levels)}`);

/** Numbers and nestings that only JSON text can represent. */
export const verbatims: readonly Verbatim[] = [
  ...['1e400', '-1e400', '-0', '0.0', '1E5', '1e-400', '9007199254740993', '123456789012345678901234567890.5'],
  ...['"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"\\u202e"', '{"a":1,"a":2}', '{"__proto__":{"a":1}}'],
]
  .map((text) => new Verbatim(text))
  .concat([17, 100, 2000].flatMap((levels) => [nested(levels, '[', ']'), nested(levels, '{"a":', '}')]));

/** An object with a duplicate name; the last value counts. */
export const withDuplicate = (object: object, name: string, other: unknown, isLast: boolean): Verbatim => {
  const pair = `${JSON.stringify(name)}:${jsonText(other)}`;
  const inner = jsonText(object).slice(1, -1);
  const parts = inner === '' ? [pair] : isLast ? [inner, pair] : [pair, inner];
  return new Verbatim(`{${parts.join(',')}}`);
};
