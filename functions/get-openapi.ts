import { publicDocument } from '../shared/http/public-document.ts';
import { read } from '../shared/operations/get-openapi.ts';

/** GET /openapi.json: the OpenAPI document, for anybody. */
export const handler = publicDocument('get-openapi', read);
