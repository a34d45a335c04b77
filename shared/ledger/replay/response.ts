import * as z from 'zod/mini';
import { described } from '../../base/described.ts';
import { objectType, version } from '../../base/response-scalars.ts';
import { contentReleases } from '../../calculations/response.ts';

const ReplayDifference = described(
  z.object({
    pointer: described(z.string(), 'A JSON Pointer into the transaction.'),
    recorded: described(z.nullable(z.string()), 'The recorded value. `null` if there is none.'),
    replayed: described(z.nullable(z.string()), 'The replayed value. `null` if there is none.'),
  }),
  'A value that differs between the recorded transaction and its replay.',
  { id: 'ReplayDifference' },
);
export type ReplayDifference = z.infer<typeof ReplayDifference>;

/** Why a transaction cannot be replayed. */
const replayReasons = ['release_not_found', 'parent_not_known', 'refused', 'redacted'] as const;

/** The response of POST /transactions/{id}/replay. */
export const Replay = described(
  z.object({
    object: objectType('replay'),
    id: described(z.string(), 'The id of the transaction. Opaque.'),
    version,
    match: described(
      z.nullable(z.boolean()),
      'Whether all values are equal. `null` if the transaction cannot be replayed; `reason` says why.',
    ),
    reason: described(
      z.nullable(z.enum(replayReasons)),
      'Why the transaction cannot be replayed. `null` if it was replayed.',
      { title: 'ReplayReason' },
    ),
    detail: described(z.nullable(z.string()), 'The reason in one sentence. `null` if the transaction was replayed.'),
    engine_version: described(z.string(), 'The engine version of the recorded transaction.'),
    replayed_engine_version: described(z.string(), 'The engine version of the replay.'),
    content_releases: contentReleases,
    difference_count: described(z.int(), 'The number of values that differ.'),
    differences: described(
      z.array(ReplayDifference),
      'The values that differ, in the order of the transaction. At most 100.',
    ),
  }),
  'The comparison of a recorded transaction with its replay.',
  { id: 'Replay' },
);
export type Replay = z.infer<typeof Replay>;
