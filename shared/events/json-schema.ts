import * as z from 'zod/mini';
import descriptions from './descriptions.json' with { type: 'json' };
import { type EventType, events } from './event.ts';

/** What each event means with an example, and what each field means by its path. `*` is an element of a list. */
const texts: {
  readonly events: Readonly<Record<EventType, { readonly description: string; readonly example: object }>>;
  readonly fields: Readonly<Record<string, string>>;
} = descriptions;

type Node = { properties?: Record<string, Node>; items?: Node; description?: string; additionalProperties?: unknown };

const described = (node: Node, path: readonly string[] = []): Node => ({
  ...(texts.fields[path.join('.')] && { description: texts.fields[path.join('.')] }),
  ...node,
  ...(node.properties && {
    properties: Object.fromEntries(
      Object.entries(node.properties).map(([name, child]) => [name, described(child, [...path, name])]),
    ),
  }),
  ...(node.items?.properties && { items: described(node.items, [...path, '*']) }),
});

/**
 * Returns the published schema of an event's detail. It allows additional properties, so new fields do not break
 * consumers.
 */
const buildEventSchema = (type: EventType): Record<string, unknown> => {
  const { $schema, ...schema } = z.toJSONSchema(events[type], {
    target: 'draft-2020-12',
    io: 'input',
    // Drop the descriptions and component names of the OpenAPI document.
    metadata: z.registry(),
  });
  const { description, example } = texts.events[type];
  return {
    $schema,
    $id: `urn:levy:event:${type}`,
    title: type,
    description,
    ...described(schema as Node),
    examples: [example],
  };
};

/** Returns the files of shared/events/schemas by name. */
export const eventSchemas = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.keys(events) as EventType[]).map((type) => [
      `${type}.json`,
      `${JSON.stringify(buildEventSchema(type), null, 2)}\n`,
    ]),
  );
