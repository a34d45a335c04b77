import type * as z from 'zod/mini';
import { newAccount } from '../../shared/accounts/account.ts';
import { type BodyDefinition, parseBody } from '../../shared/api/body.ts';
import type { RequestContext } from '../../shared/api/request-context.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import type { Problem } from '../../shared/base/problem.ts';

/** A request without a caller, and with a body that is not parsed. */
export const requestContext = (others: Partial<RequestContext> = {}): RequestContext => ({
  requestId: 'req_1',
  method: 'POST',
  path: '/calculations',
  pathParameters: {},
  headers: new Map([['content-type', ['application/json']]]),
  query: new Map(),
  rawBody: Buffer.from('{}'),
  remainingMs: () => 1000,
  replyHeaders: {},
  ...others,
});

const caller = {
  account: newAccount({ name: 'Test', serviceVersion: currentVersion, createdMs: Date.parse('2026-11-01') }),
  credential: 'key_test',
  scopes: new Set<never>(),
};

/** Returns the problems of an operation's body. */
export const parseSent = <Body extends z.ZodMiniType>(
  definition: BodyDefinition<Body>,
  body: unknown,
  prefer?: string,
): ReturnType<typeof parseBody<Body>> =>
  parseBody(definition, requestContext({ body, caller, headers: new Map(prefer ? [['prefer', [prefer]]] : []) }));

/** Returns the location of a problem in the request. */
export const getPlace = ({ source }: Problem): string | undefined =>
  source && ('pointer' in source ? source.pointer : 'parameter' in source ? source.parameter : undefined);
