/** The deployment's event bus, for events that no stream carries. */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { environment } from '../config/environment.ts';
import { type ContentEvent, eventSource } from './event.ts';

/** Put an event on a bus. Throws where the bus does not accept it. */
export const putEvent = async (EventBusName: string, event: ContentEvent): Promise<void> => {
  const client = new EventBridgeClient({ region: environment.region });
  const entry = { EventBusName, Source: eventSource, DetailType: event.event_type, Detail: JSON.stringify(event) };
  const { Entries: [answer] = [] } = await client.send(new PutEventsCommand({ Entries: [entry] }));
  if (answer?.EventId === undefined)
    throw new Error(`The bus ${EventBusName} did not accept ${event.event_id}: ${answer?.ErrorCode ?? 'no answer'}.`);
};
