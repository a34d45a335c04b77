import * as z from 'zod/mini';

export const ReplayDifference = z.object({
  pointer: z.string(),
  recorded: z.nullable(z.string()),
  replayed: z.nullable(z.string()),
});
export type ReplayDifference = z.infer<typeof ReplayDifference>;

/** Why a transaction could not be replayed. */
export const replayReasons = ['release_not_found', 'parent_not_known', 'refused'] as const;

/** The answer of POST /transactions/{id}/replay. */
export const Replay = z.object({
  object: z.literal('replay'),
  id: z.string(),
  version: z.int(),
  match: z.nullable(z.boolean()),
  reason: z.nullable(z.enum(replayReasons)),
  detail: z.nullable(z.string()),
  engine_version: z.string(),
  replayed_engine_version: z.string(),
  content_releases: z.record(z.string(), z.string()),
  difference_count: z.int(),
  differences: z.array(ReplayDifference),
});
export type Replay = z.infer<typeof Replay>;
