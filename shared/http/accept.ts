type Range = { readonly type: string; readonly quality: number };

const quality = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** The media ranges of `Accept`. Parameters other than `q` are of no account: no type is offered in two forms. */
const rangesOf = (accept: readonly string[]): Range[] =>
  accept
    .join(',')
    .split(',')
    .flatMap((text) => {
      const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '') ?? '1';
      // What cannot be read says nothing.
      return /^[^\s/]+\/[^\s/]+$/.test(type) && quality.test(weight) ? [{ type, quality: Number(weight) }] : [];
    });

/** How exactly a range names a type: 2 by its name, 1 by its half, 0 among all, -1 not at all. */
const exactness = (range: string, type: string): number => ['*/*', `${type.split('/')[0]}/*`, type].indexOf(range);

/**
 * The one of the offered media types that `Accept` asks for most (RFC 9110, 12.5.1).
 *
 * The most exact range decides about a type. Where two are wanted alike, the one that is named more exactly wins, and
 * then the one that is offered first. So does that where nothing fits: there is no 406 among the answers.
 */
export const preferredType = <Type extends string>(
  accept: readonly string[],
  offered: readonly [Type, ...Type[]],
): Type => {
  const ranges = rangesOf(accept);
  const wanted = offered.map((type) => {
    const matching = ranges.map((range) => ({ ...range, exactness: exactness(range.type, type) }));
    const most = Math.max(-1, ...matching.map((range) => range.exactness));
    const qualities = matching.filter((range) => range.exactness === most && most >= 0).map((range) => range.quality);
    return { type, exactness: most, quality: Math.max(0, ...qualities) };
  });
  const [best] = wanted
    .filter((type) => type.quality > 0)
    .toSorted((one, other) => other.quality - one.quality || other.exactness - one.exactness);
  return best?.type ?? offered[0];
};
