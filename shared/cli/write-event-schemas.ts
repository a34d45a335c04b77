import { writeFileSync } from 'node:fs';
import { schemaFiles } from '../events/json-schema.ts';

/** Write the files of shared/events/schemas. Run it after a change of an event. */
if (import.meta.main)
  for (const [name, text] of Object.entries(schemaFiles()))
    writeFileSync(new URL(`../events/schemas/${name}`, import.meta.url), text);
