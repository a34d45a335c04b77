import { writeFileSync } from 'node:fs';
import { endpoints } from '../../functions/endpoints.ts';
import { openApiText } from '../http/openapi/document.ts';

/** Regenerate shared/http/openapi.json, after a change of a schema, an endpoint or a description. */
if (import.meta.main)
  writeFileSync(new URL('../http/openapi.json', import.meta.url), openApiText(Object.values(endpoints)));
