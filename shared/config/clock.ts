let offsetMs = 0;

/** Returns the current time in milliseconds since 1970. All code uses it, so `npm start` can move the clock. */
export const now = (): number => Date.now() + offsetMs;

/** Moves the clock forward. Only the local service and the tests do this. */
export const advanceClock = (byMs: number): void => {
  offsetMs += byMs;
};
