import { publishers } from '../importers/updates/publishers.ts';
import { coverageOfAll } from './coverage.ts';
import { activeReleases, type ReleasePorts } from './releases.ts';
import type { StateCoverage } from './response.ts';
import type { SourceRecords } from './source.ts';

type SourcePorts = {
  /** The records of the updates of states (two letters). */
  readonly readSources: (states: readonly string[]) => Promise<SourceRecords>;
};

/** The coverage on a day by the active releases, of one state by its jurisdiction code or of all (`null`). */
export const activeCoverage = async (
  state: string | null,
  day: string,
  ports: ReleasePorts & SourcePorts,
): Promise<readonly StateCoverage[]> => {
  const states = state === null ? publishers.map((publisher) => publisher.state) : [state.slice('US-'.length)];
  const [releases, records] = await Promise.all([activeReleases(state, ports), ports.readSources(states)]);
  return coverageOfAll(releases, day, records);
};
