import { contentEvent } from '../../events/content-events.ts';
import type { ContentEvent } from '../../events/event.ts';
import { type ContentSource, readContentSource, writeContentSource } from '../../store/content/content-sources.ts';
import { readActiveReleases } from '../../store/content/content-store.ts';
import { jurisdictionCode } from '../../vocabulary/jurisdiction.ts';
import type { Importable } from '../updates/publishers.ts';

/** The instant of the last activation of a state's release; `undefined` if the directory no longer has it. */
const activatedAt = async ({ state, release }: ContentSource): Promise<string | undefined> => {
  const current = (await readActiveReleases()).states[jurisdictionCode(state)];
  const activations = current ? [current, ...current.previous] : [];
  return activations.find((activation) => activation.release === release)?.activated_at;
};

/**
 * Publish the event of a state's latest official release, unless it was published, and return its type.
 *
 * The record of the state says which event is due, so a run that ends before its event leaves it to the next run. The
 * event is published at least once: a run that ends before it is recorded repeats it with the same id.
 */
export const announceRelease = async (
  publisher: Importable,
  publish: (event: ContentEvent) => Promise<void>,
): Promise<ContentEvent['event_type'] | null> => {
  const source = await readContentSource(publisher.state);
  const at = (await activatedAt(source)) ?? (source.activated ? undefined : null);
  const event = at === undefined ? null : contentEvent(publisher, source, at);
  if (event === null || event.event_id === source.announced) return null;
  await publish(event);
  // Where this is refused, another update of the state runs.
  await writeContentSource({ ...source, announced: event.event_id });
  return event.event_type;
};
