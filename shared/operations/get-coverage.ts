import { dayOf } from '../calendar.ts';
import { now } from '../config/clock.ts';
import { builtInReleaseById, newestBuiltInReleases } from '../content/built-in.ts';
import { stateJurisdiction } from '../content/location/zip-states.ts';
import { attribution } from '../coverage/attribution.ts';
import { coverageOfAll } from '../coverage/coverage.ts';
import { CoverageQuery } from '../coverage/query.ts';
import { activeReleases } from '../coverage/releases.ts';
import { operation } from '../http/operation.ts';
import { taggedReply } from '../http/tagged-reply.ts';
import { accept } from '../result.ts';
import { readActiveReleases, readContent } from '../store/content/content-reads.ts';

const ports = {
  readActive: readActiveReleases,
  readContent,
  newest: newestBuiltInReleases,
  builtInById: builtInReleaseById,
};

export const serve = operation({
  query: CoverageQuery,
  run: async ({ query, version, exchange }) => {
    const state = query.state === undefined ? null : stateJurisdiction(query.state);
    const day = dayOf(now());
    const states = coverageOfAll(await activeReleases(state, ports), day);
    return accept(taggedReply({ object: 'coverage', tax_date: day, states, attribution }, version, exchange));
  },
});
