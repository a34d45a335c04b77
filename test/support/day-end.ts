import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
// Longer than any test file that computes a day when it starts.
const marginMs = 90_000;

// Tests compare days that they compute with days of the service, so no test file starts shortly before midnight UTC.
const remainingMs = dayMs - (Date.now() % dayMs);
if (remainingMs < marginMs) await sleep(remainingMs);
