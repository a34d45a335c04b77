import { seeded } from '../support/seeded.ts';

/** Numbers from 0 to below 1, the same ones from the same seed. Seeds are mixed, because runs use consecutive seeds. */
export const seededRandom = (seed: number): (() => number) => seeded(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0);
