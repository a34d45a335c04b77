import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
// Longer than the test files that compute a day at their start and compare it with the service's.
const marginMs = 90_000;

// A vitest setup file: no test file starts shortly before midnight UTC. The extra second is for timers that fire early.
const untilMidnightMs = dayMs - (Date.now() % dayMs);
if (untilMidnightMs < marginMs) await sleep(untilMidnightMs + 1000);
