import { publicDocument } from '../shared/http/public-document.ts';
import { read } from '../shared/operations/get-docs.ts';

/** GET /docs: the API's documentation as one page, for anybody. */
export const handler = publicDocument('get-docs', read);
