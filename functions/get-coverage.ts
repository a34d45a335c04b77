import * as z from 'zod/mini';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { taggedResponse } from '../shared/api/entity-tag.ts';
import { toDay } from '../shared/base/calendar.ts';
import { described } from '../shared/base/described.ts';
import { accept } from '../shared/base/result.ts';
import { builtInRelease } from '../shared/catalog/built-in.ts';
import { now } from '../shared/config/clock.ts';
// NOTICE has the full texts of these attributions.
import attribution from '../shared/coverage/attribution.json' with { type: 'json' };
import { coverageOfAll } from '../shared/coverage/coverage.ts';
import { activeCoverage, listReleases } from '../shared/coverage/releases.ts';
import { Coverage, type StateCoverage } from '../shared/coverage/response.ts';
import { readActiveReleases, readContent } from '../shared/store/content/content-reads.ts';
import { readContentSources } from '../shared/store/content/content-sources.ts';
import { listHeads } from '../shared/store/content/content-store.ts';
import { contentReads } from '../shared/store/table-access.ts';
import { stateJurisdiction } from '../shared/vocabulary/jurisdiction.ts';
import { state } from '../shared/vocabulary/state-field.ts';

const ports = { readActive: readActiveReleases, readContent, readSources: readContentSources };

const CoverageQuery = z
  .object({
    state: described(z.optional(state), 'Only this state: its two-letter code, its jurisdiction code or its name.'),
    expand: described(
      z.optional(z.enum(['releases'], 'Send releases.')),
      '`releases` returns all releases of the state. Send it together with `state`.',
      { title: 'CoverageExpansion' },
    ),
  })
  .check(({ value, issues }) => {
    if (value.expand !== undefined && value.state === undefined)
      issues.push({ code: 'custom', input: value, path: ['expand'], message: 'Send it together with state.' });
  });

/**
 * Describes a state's coverage with its releases. The numbers of a corrupt release head are unknown, so a note
 * identifies the release.
 */
const withReleases = async (coverage: StateCoverage, day: string): Promise<StateCoverage> => {
  const active = await readActiveReleases();
  const { releases, corrupt } = await listReleases(`US-${coverage.state}`, active, day, listHeads);
  const notes = corrupt.map(
    ({ error }) =>
      `\`releases\` leaves out ${error.release}, whose head is corrupt; \`npm run content -- list\` prints how to repair it.`,
  );
  return { ...coverage, notes: [...coverage.notes, ...notes], releases: releases.map(({ row }) => row) };
};

export const { endpoint, handler } = defineEndpoint({
  name: 'get-coverage',
  method: 'GET',
  path: '/coverage',
  scope: 'read',
  access: { actions: { content: [...contentReads.content, 'Query'] } },
  query: CoverageQuery,
  run: async ({ query, version, context }) => {
    const only = query.state === undefined ? null : stateJurisdiction(query.state);
    const day = toDay(now());
    const found = await activeCoverage(only, day, ports);
    const states = query.expand ? await Promise.all(found.map((row) => withReleases(row, day))) : found;
    return accept(taggedResponse({ object: 'coverage', tax_date: day, states, attribution }, version, context));
  },
});

/** An example with one state. It is computed from the built-in content, so no fact is duplicated here. */
const exampleCoverage = () => {
  const michigan = builtInRelease('MI');
  const tax_date = '2026-11-21';
  return { object: 'coverage', tax_date, states: michigan ? coverageOfAll([michigan], tax_date) : [], attribution };
};

export const documentation = (): Documentation => ({
  summary: 'Retrieve coverage',
  description:
    'Returns what the active releases of the tax content cover in each state today: the general rate, the local rates, the taxation of goods and shipping, the confidence in each, and what is missing or not established. `source` shows where the content comes from and whether its official files are stale.',
  response: {
    description: 'The states in alphabetical order. A place without content has no row.',
    schema: Coverage,
    example: exampleCoverage,
  },
  notModified: 'The coverage matches `If-None-Match`.',
});
