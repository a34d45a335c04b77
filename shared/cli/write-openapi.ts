import { writeFileSync } from 'node:fs';
import { openApiText } from '../http/openapi/document.ts';

/** Write shared/http/openapi.json anew, after a change of a schema, a route or a text. */
if (import.meta.main) writeFileSync(new URL('../http/openapi.json', import.meta.url), openApiText());
