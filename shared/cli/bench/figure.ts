/** One line of the bench's output. Every other key says its unit at its end. */
export type Figure = { readonly figure: string } & Readonly<Record<string, string | number>>;

/** Of an even number of values the lower middle one, so that it is a value that was measured. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** Three significant digits, or whole: more than a shared machine can tell apart. */
export const rounded = (value: number): number => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
