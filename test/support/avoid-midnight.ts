import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
// Longer than any test file that compares a day that it computed with a later day of the service.
const marginMs = 90_000;

// A vitest setup file: no test file starts shortly before midnight UTC. The extra second is for timers that fire early.
const untilMidnightMs = dayMs - (Date.now() % dayMs);
if (untilMidnightMs < marginMs) await sleep(untilMidnightMs + 1000);
