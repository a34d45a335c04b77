import * as z from 'zod/mini';
import type { ContentSource } from '../store/content/content-sources.ts';
import { jurisdictionCode } from '../vocabulary/jurisdiction.ts';

/** The time of an event. */
export const instant = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/));

const getSchema = <const Type extends string>(type: Type) =>
  z.object({
    // Has no account, because all accounts of a deployment share the same content.
    event_id: z.string(),
    event_type: z.literal(type),
    occurred_at: instant,
    content: z.object({
      state: z.string().check(z.regex(/^US-[A-Z]{2}$/)),
      release: z.string(),
      publisher: z.string(),
      files: z.array(z.object({ name: z.string(), url: z.string(), sha256: z.string() })),
      gates: z.array(
        z.object({
          name: z.string(),
          figure: z.number(),
          threshold: z.number(),
          unit: z.enum(['%', 'percentage points', '']),
          passed: z.boolean(),
          text: z.string(),
        }),
      ),
      held: z.nullable(z.string()),
    }),
  });

/** The schemas of the events of tax content. They are separate from the ledger's event schemas, which are large. */
export const contentEvents = {
  'content.proposed': getSchema('content.proposed'),
  'content.activated': getSchema('content.activated'),
} as const;
export type ContentEvent = z.infer<(typeof contentEvents)[keyof typeof contentEvents]>;

/**
 * Returns the event for a state's official files, derived from their stored record. A release is proposed until its
 * single activation, so every run derives the same event with the same id. Returns `null` without a release or without
 * measured gates.
 *
 * `activatedAt` is the time of activation; `null` for a release that was never active.
 */
export const contentEvent = (
  { state, name }: { readonly state: string; readonly name: string },
  { release, imported_at, proposal, files }: ContentSource,
  activatedAt: string | null,
): ContentEvent | null => {
  if (release === null || proposal === null) return null;
  const event_type = activatedAt === null ? 'content.proposed' : 'content.activated';
  // The schema drops fields that are not part of the event.
  return contentEvents[event_type].parse({
    event_id: `${release}.${event_type}`,
    event_type,
    occurred_at: activatedAt ?? imported_at,
    content: {
      state: jurisdictionCode(state),
      release,
      publisher: name,
      files,
      gates: proposal.gates.map(({ describe, most, ...gate }) => ({ ...gate, threshold: most, text: describe })),
      held: proposal.held,
    },
  });
};
