import { dayOf } from '../shared/calendar.ts';
import { now } from '../shared/config/clock.ts';
import { builtInReleaseById, newestBuiltInReleases } from '../shared/content/built-in.ts';
import { attribution } from '../shared/coverage/attribution.ts';
import { coverageOfAll } from '../shared/coverage/coverage.ts';
import { CoverageQuery } from '../shared/coverage/query.ts';
import { activeReleases } from '../shared/coverage/releases.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { taggedReply } from '../shared/http/entity-tag.ts';
import { stateJurisdiction } from '../shared/jurisdiction.ts';
import { accept } from '../shared/result.ts';
import { readActiveReleases, readContent } from '../shared/store/content/content-reads.ts';
import { contentReads } from '../shared/store/table-access.ts';

const ports = {
  readActive: readActiveReleases,
  readContent,
  newest: newestBuiltInReleases,
  builtInById: builtInReleaseById,
};

export const { endpoint, handler } = defineEndpoint({
  name: 'get-coverage',
  method: 'GET',
  path: '/coverage',
  scope: 'read',
  access: { actions: contentReads },
  tag: 'Coverage',
  summary: 'Retrieve coverage',
  description:
    'What the active releases of the tax content cover in each state today: the general rate, the local rates, the taxation of goods and shipping, the confidence in each, and what is missing or not established.',
  query: CoverageQuery,
  responses: [
    {
      status: 200,
      description: 'The states in alphabetical order. A place without content has no row.',
      schema: 'Coverage',
    },
  ],
  notModified: 'The coverage matches `If-None-Match`.',
  errors: [],
  run: async ({ query, version, exchange }) => {
    const state = query.state === undefined ? null : stateJurisdiction(query.state);
    const day = dayOf(now());
    const states = coverageOfAll(await activeReleases(state, ports), day);
    return accept(taggedReply({ object: 'coverage', tax_date: day, states, attribution }, version, exchange));
  },
});
