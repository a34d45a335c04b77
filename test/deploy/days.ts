/** Days of a month before the current one (UTC): the first, one in between, and the last. */
export const monthBefore = (months: number): { first: string; middle: string; last: string } => {
  const now = new Date();
  const at = (month: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, day)).toISOString().slice(0, 10);
  return { first: at(-months, 1), middle: at(-months, 15), last: at(1 - months, 0) };
};

/** A registration in Michigan with monthly returns, from the first day of that month. */
export const registeredFrom = (from: string): string =>
  `registrations=${JSON.stringify([{ state: 'MI', from, to: null, frequency: 'month' }])}`;
