/** Days of a month before the current one (UTC): its first, one in it, and its last. */
export const monthBefore = (months: number): { first: string; middle: string; last: string } => {
  const now = new Date();
  const at = (month: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, day)).toISOString().slice(0, 10);
  return { first: at(-months, 1), middle: at(-months, 15), last: at(1 - months, 0) };
};

/** Registered in Michigan from the first day of that month, with monthly returns. */
export const registeredFrom = (from: string): string =>
  `registrations=${JSON.stringify([{ state: 'MI', from, to: null, frequency: 'month' }])}`;
