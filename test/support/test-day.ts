/** A vitest setup file: tests give the same results on every day and at every hour. */
import { setTimeout as sleep } from 'node:timers/promises';
import { advanceClock, now } from '../../shared/config/clock.ts';

/**
 * The test day: the files that tests publish are current, and the periods that tests use are past, current or future.
 */
export const testDay = '2026-11-24T12:00:00Z';

// Sets the service's clock for the rest of a test file. The clock keeps running.
advanceClock(Date.parse(testDay) - now());

const dayMs = 86_400_000;
// Longer than any test file that compares the current day with the day of a service in another process.
const marginMs = 90_000;

// Delays test files that would start shortly before midnight UTC, because other processes use the real time. The extra
// second allows for timers that fire early.
const untilMidnightMs = dayMs - (Date.now() % dayMs);
if (untilMidnightMs < marginMs) await sleep(untilMidnightMs + 1000);
