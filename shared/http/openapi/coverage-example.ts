import { builtInRelease } from '../../content/built-in.ts';
import { attribution } from '../../coverage/attribution.ts';
import { coverageOfAll } from '../../coverage/coverage.ts';
import type { Coverage } from '../../coverage/response.ts';

const day = '2026-11-21';
const release = builtInRelease('MI');

/** One state of 52, as the built-in content has it: made, not written, so that no fact stands twice. */
export const coverage: Coverage = {
  object: 'coverage',
  tax_date: day,
  states: (release ? coverageOfAll([release], day) : []) as Coverage['states'],
  attribution: [...attribution],
};
