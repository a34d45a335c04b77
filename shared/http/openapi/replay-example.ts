import type { Replay } from '../../transactions/replay/response.ts';
import { finalized } from './answer-examples.ts';

/** The finalized sale, calculated again. */
export const replay: Replay = {
  object: 'replay',
  id: finalized.id,
  version: finalized.version,
  match: true,
  reason: null,
  detail: null,
  engine_version: finalized.engine_version,
  replayed_engine_version: finalized.engine_version,
  content_releases: finalized.content_releases,
  difference_count: 0,
  differences: [],
};
