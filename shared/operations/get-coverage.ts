import { now } from '../config/clock.ts';
import { builtInReleaseById, newestBuiltInReleases } from '../content/built-in.ts';
import { coverageOfAll } from '../coverage/coverage.ts';
import { CoverageQuery, stateLetters } from '../coverage/query.ts';
import { activeReleases } from '../coverage/releases.ts';
import { entityTag, matches } from '../http/entity-tag.ts';
import { operation } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { accept } from '../result.ts';
import { readActiveReleases, readContent } from '../store/content-reads.ts';

const ports = {
  readActive: readActiveReleases,
  readContent,
  newest: newestBuiltInReleases,
  builtInById: builtInReleaseById,
};

const reply = (text: string, version: string, ifNoneMatch: readonly string[]): Reply => {
  const tag = entityTag(version, text);
  const headers = {
    ETag: tag,
    // Kept by the client and asked for again: a release that is activated shows at once.
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, X-API-Key, Service-Version',
  };
  return matches(ifNoneMatch, tag) ? { status: 304, body: '', headers } : { status: 200, body: text, headers };
};

export const serve = operation({
  query: CoverageQuery,
  run: async ({ query, version, exchange }) => {
    const state = query.state === undefined ? null : stateLetters(query.state);
    const day = new Date(now()).toISOString().slice(0, 10);
    const states = coverageOfAll(await activeReleases(state, ports), day);
    // The tag is of the very text that is sent.
    const text = JSON.stringify({ object: 'coverage', tax_date: day, states });
    return accept(reply(text, version, exchange.headers.get('if-none-match') ?? []));
  },
});
