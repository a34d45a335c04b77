import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { handler as announce } from '../../functions/announce-changes.ts';
import { matches } from '../../infra/local/table-stream.ts';
import { patterns } from '../../shared/events/announce.ts';
import { readRecords } from './raw-items.ts';

/** Returns the published events of the stream so far. */
export const readEvents = async (StreamArn: string) =>
  announce((await readRecords(StreamArn)).filter((record) => patterns.some((pattern) => matches(pattern, record))));

const ajv = new Ajv2020({ allErrors: true });

/** Returns the differences between an event and its published schema, including additional fields. */
export const eventFaults = (event: Awaited<ReturnType<typeof announce>>[number]): unknown[] => {
  const file = new URL(`../../shared/events/schemas/${event.event_type}.json`, import.meta.url);
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  const validate = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
  const faults: unknown[] = validate(event) ? [] : [[event.event_type, validate.errors]];
  const part = 'filing' in event ? 'filing' : 'transaction';
  const pairs = [
    [event, schema.properties],
    [(event as unknown as Record<string, object>)[part], schema.properties[part].properties],
  ];
  const others = pairs.filter(([a, b]) => String(Object.keys(a).sort()) !== String(Object.keys(b).sort()));
  return [...faults, ...others.map(([a]) => [event.event_type, a])];
};
