/** Two accounts of a service with an issuer of tokens, for one test file. Responses are checked against the OpenAPI document. */
import { afterAll } from 'vitest';
import { withIssuer } from './issuer.ts';

const issuer = await withIssuer({ rsa: 'RS256' });
afterAll(() => issuer.close());

// The service reads its environment when it is loaded, so the modules that load it are imported after the issuer has started.
const api = await import('./api.ts');
const accounts = await import('./two-accounts.ts');

export const { url } = await api.startApi();
export const { call } = api.anonymous;
export const { bytesOf, closedOperations, operationsWithId, requestsTo, withCalls } = accounts;
export const two = await accounts.twoAccounts(issuer);
