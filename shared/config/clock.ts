let offsetMs = 0;

/** The service's time in milliseconds since 1970. All code uses it, so that `npm start` can move the clock. */
export const now = (): number => Date.now() + offsetMs;

/** Move the service's clock. Only the local service and the tests do this. */
export const advanceClock = (byMs: number): void => {
  offsetMs += byMs;
};
