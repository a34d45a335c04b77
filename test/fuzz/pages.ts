/** Malicious publisher pages and documents. */
import { localName, nameInUrl } from '../../shared/importers/files/local-name.ts';
import { currentFiles } from '../../shared/importers/updates/find-file.ts';
import { importable } from '../../shared/importers/updates/publishers.ts';
import type { Random } from './target.ts';
import { type Input, inputBytesMax, type Target } from './target.ts';
import { longText, mutateText } from './texts.ts';

const tags = [
  '<div>',
  '<svg><p>',
  '</div>',
  '<!--',
  '-->',
  '<a href="',
  '<script>',
  '<a a a ',
  '&amp',
  '<a href=&#1;>',
  '<',
  '>',
  "'",
];
const urls = [
  'https://[::1',
  '//',
  'http:',
  '?',
  '#',
  '%',
  '%2F',
  '%25',
  '../',
  ':',
  '@',
  '.xn--',
  '\\',
  '\t',
  '\u00ad',
  'ß',
];

const examples: readonly string[] = importable.flatMap(({ files }) =>
  files.map((file) =>
    'example' in file ? file.example : file.find === 'index' ? `${file.name}2026Q4AUG18.zip` : 'a.csv',
  ),
);

/** One file name of each kind. The Streamlined Sales Tax Governing Board uses the same naming for all of its states. */
const kinds = importable
  .filter(({ state, format }) => format !== 'sst' || state === 'MN')
  .flatMap(({ files }) => files.slice(0, 1));

/** Returns a name like a file name, with a repeated part. */
const name = (random: Random): string => {
  const { below, pick, chance } = random;
  const example = pick(examples);
  const at = below(example.length);
  const part = example.slice(at, at + 1 + below(5));
  const long = part.repeat(pick([1, 10, 40, 3000]));
  const text = example.slice(0, at) + (chance(0.7) ? long : longText(random, [3, 30, 3000])) + example.slice(at);
  return chance(0.5) ? encodeURIComponent(text.toWellFormed()) : text;
};

const link = (random: Random): string =>
  `<a href="${random.chance(0.2) ? random.pick(urls).repeat(random.pick([1, 10, 1000])) : ''}${name(random)}">x</a>`;

const fill = (piece: () => string, bytes: number): string => {
  const pieces: string[] = [];
  for (let left = bytes; left > 0; ) {
    const text = piece();
    pieces.push(text);
    left -= text.length;
  }
  return pieces.join('');
};

const service = (random: Random): object => ({ name: name(random), type: 'FeatureServer' });

const json = (random: Random): string => {
  const { pick, chance } = random;
  if (chance(0.2)) return pick(['[', '{"a":', '"', '{"services":[', '1', '\\u0000']).repeat(pick([10, 1000, 150_000]));
  const services = Array.from({ length: pick([1, 100, 3000]) }, () => service(random));
  const layers = Array.from({ length: pick([1, 2, 10_000]) }, (_, id) => ({
    id,
    name: pick(['GRT', 'x', longText(random, [3, 30])]),
  }));
  return JSON.stringify({ services, layers });
};

const page = (random: Random): string => {
  const { pick, chance } = random;
  const bytes = pick([1000, 100_000, 990_000]);
  if (chance(0.15)) return json(random);
  if (chance(0.3)) return pick(tags).repeat(bytes / 5) + link(random);
  if (chance(0.5)) return fill(() => link(random), bytes);
  return mutateText(
    fill(() => pick([pick(tags), link(random)]), Math.min(bytes, 100_000)),
    random,
  );
};

/** Finds the files of each publisher on a page of at most 1 MB. */
export const pages: Target = {
  valid: () => [{ name: 'page.html', content: examples.map((example) => `<a href="${example}">x</a>`).join('') }],
  make: (random) => [{ name: 'page.html', content: Buffer.from(page(random)).subarray(0, inputBytesMax) }],
  run: async ([file]: Input) => {
    const text = file?.content.toString() ?? '';
    for (const one of kinds) await currentFiles([one], { readText: async () => text }).catch(refused);
    localName(text);
    nameInUrl(new URL(`https://example.gov/${encodeURIComponent(text.slice(0, 1000).toWellFormed())}`));
  },
};

/** An expected refusal. Other errors are bugs. */
const refused = (error: unknown): void => {
  if ((error as Error).name !== 'PublisherFailure') throw error;
};
