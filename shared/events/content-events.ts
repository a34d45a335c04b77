import type { ContentSource } from '../store/content/content-sources.ts';
import { jurisdictionCode } from '../vocabulary/jurisdiction.ts';
import { type ContentEvent, events } from './event.ts';

/**
 * The event that the record of a state's official files calls for. A release is activated once and stays proposed until
 * then, so every run derives the same event with the same id. `null`: no release, or one without measured gates.
 *
 * `activatedAt` is the instant of the activation; `null` for a release that was never active.
 */
export const contentEvent = (
  { state, name }: { readonly state: string; readonly name: string },
  { release, imported_at, proposal, files }: ContentSource,
  activatedAt: string | null,
): ContentEvent | null => {
  if (release === null || proposal === null) return null;
  const event_type = activatedAt === null ? 'content.proposed' : 'content.activated';
  // The schema drops the fields that no event has.
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
