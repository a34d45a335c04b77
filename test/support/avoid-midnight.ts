import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
// Longer than any test file that computes the current day at its start and compares it with the service's.
const marginMs = 90_000;

// A vitest setup file that delays test files that would start shortly before midnight UTC. The extra second allows for
// timers that fire early.
const untilMidnightMs = dayMs - (Date.now() % dayMs);
if (untilMidnightMs < marginMs) await sleep(untilMidnightMs + 1000);
