import { parseArgs } from 'node:util';

/** How much is asked of the service, and for how long. */
export type LoadOptions = {
  /** Calculations a second. */
  readonly calculations: number;
  /** Creates a second. */
  readonly creates: number;
  /** How long the steady phase lasts; the overload lasts half as long. */
  readonly seconds: number;
  /** The overload's rate, in multiples of the steady one; 1 leaves the overload out. */
  readonly times: number;
  /** Processes that serve. */
  readonly workers: number;
};

const bounds = {
  calculations: { least: 0, otherwise: 2000 },
  creates: { least: 0, otherwise: 300 },
  seconds: { least: 1, otherwise: 60 },
  times: { least: 1, otherwise: 3 },
  workers: { least: 1, otherwise: 2 },
} as const satisfies Record<keyof LoadOptions, { least: number; otherwise: number }>;

const names = Object.keys(bounds) as (keyof LoadOptions)[];

/** Read `--calculations`, `--creates`, `--seconds`, `--times` and `--workers`. Throws at anything else, in words. */
export const readOptions = (words: readonly string[]): LoadOptions => {
  const { values } = parseArgs({
    args: [...words],
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  });
  const numberOf = (name: keyof LoadOptions): number => {
    const { least, otherwise } = bounds[name];
    const text = (values as Record<string, string | undefined>)[name] ?? String(otherwise);
    const number = Number(text);
    if (/^\d{1,6}$/.test(text) && number >= least) return number;
    throw new Error(`--${name} takes a whole number from ${least}, not "${text}".`);
  };
  const options = Object.fromEntries(names.map((name) => [name, numberOf(name)])) as LoadOptions;
  if (options.calculations + options.creates === 0)
    throw new Error('Ask for --calculations, for --creates, or for both.');
  return options;
};
