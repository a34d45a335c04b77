/** Every so many schedules are about filings: they are long, and what goes on in them is mostly that. */
export const filingsEvery = 20;
