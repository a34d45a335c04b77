import type { ContentSource } from '../store/content/content-sources.ts';
import { jurisdictionCode } from '../vocabulary/jurisdiction.ts';
import { type ContentEvent, events } from './event.ts';

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
  return events[event_type].parse({
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
