import * as z from 'zod/mini';
import { sessionCookie, sessionEnded } from '../shared/api/authenticate.ts';
import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { assert } from '../shared/base/assert.ts';
import { component, described, nullable } from '../shared/base/described.ts';
import { objectType, timestamp } from '../shared/base/response-scalars.ts';
import { accept, invalidField, refuse } from '../shared/base/result.ts';
import { endSession, extendSession, startSession } from '../shared/store/accounts/session-store.ts';

const SessionRequest = component(
  'SessionRequest',
  'What to do with the session.',
  {
    action: described(
      z.enum(['start', 'extend', 'end'], 'Send start, extend or end.'),
      '`start` exchanges an API key or a bearer token for a session. `extend` and `end` need the session.',
      { title: 'SessionAction' },
    ),
  },
  'Send an object with action.',
);

const ConsoleSession = component('Session', 'A session of the console.', {
  object: objectType('session'),
  expires_at: nullable(timestamp, 'When the session ends unless it is extended. `null` if it ended.'),
  ends_at: nullable(timestamp, 'The latest time at which the session ends. `null` if it ended.'),
});

const toResponse = ({ expires_at, ends_at }: { expires_at: string | null; ends_at: string | null }) => ({
  status: 200,
  body: { object: 'session', expires_at, ends_at },
});

const wrongAction = (detail: string) => refuse(invalidField('/action', detail));

export const { endpoint, handler } = defineEndpoint({
  name: 'update-session',
  method: 'POST',
  path: '/session',
  scope: 'read',
  access: { actions: { accounts: ['GetItem', 'UpdateItem', 'PutItem', 'DeleteItem'] } },
  body: { schema: SessionRequest, ignored: {} },
  run: async ({ body: { action }, caller, context }) => {
    const { login } = context;
    assert(login !== undefined, 'authenticate must run first.');
    if (action === 'start') {
      // A session cannot start another session, or it could be extended forever.
      if ('session' in login)
        return wrongAction('Send an API key or a bearer token to start a session, and no Console-Session header.');
      const { secret, ...session } = await startSession(caller.account.id, login);
      return accept({ ...toResponse(session), headers: { 'Set-Cookie': sessionCookie(context, secret) } });
    }
    if (!('session' in login))
      return wrongAction(
        `Send the session's cookie and the header Console-Session to ${action} it, and no API key or token.`,
      );
    if (action === 'extend') {
      const session = await extendSession(login.session);
      if (!session) throw sessionEnded();
      return accept(toResponse(session));
    }
    await endSession(login.session);
    const headers = { 'Set-Cookie': sessionCookie(context, null) };
    return accept({ ...toResponse({ expires_at: null, ends_at: null }), headers });
  },
});

export const documentation = (): Documentation => ({
  summary: 'Start, extend or end a console session',
  description: [
    'The console exchanges the API key or bearer token of a sign-in for a session, so it can forget the credential. The session has the scopes of its credential, and is refused within a minute after the credential is revoked. It ends after one hour without use, after 12 hours, and with the bearer token that started it.',
    'The secret of the session is only in an HttpOnly cookie. Levy reads the cookie only with the header `Console-Session`, in a same-origin request of a browser. Servers send an API key or a bearer token instead.',
  ].join('\n\n'),
  requests: { start: { summary: 'Start a session', value: { action: 'start' } } },
  response: {
    description: 'The session.',
    schema: ConsoleSession,
    example: () => ({
      object: 'session',
      expires_at: '2026-11-28T10:00:00.000Z',
      ends_at: '2026-11-28T21:00:00.000Z',
    }),
    optionalHeaders: ['Set-Cookie'],
  },
});
