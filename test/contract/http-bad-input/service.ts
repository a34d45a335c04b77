import type { IncomingMessage } from 'node:http';
import type { Context } from 'aws-lambda';
import { notFound } from '../../../infra/gateway-problems.ts';
import { handlers } from '../../../infra/local/handlers.ts';
import { toProxyEvent } from '../../../infra/local/proxy-event.ts';
import { refusal } from '../../../infra/local/refusal.ts';
import { type MatchedResource, matchResource, parseTarget } from '../../../infra/local/resources.ts';
import { environment } from '../../../shared/config/environment.ts';
import { answerFrom, type Command, MemoryDatabase } from '../../support/memory-database.ts';
import type { WireRequest } from './requests.ts';

/** The body of a refusal, as far as its code. */
export type Refusing = { readonly errors?: readonly { readonly code: string }[] } | null;

export type WireAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON, or the text where it is something else; `null` where there is none. */
  readonly body: unknown;
  /** Writes to the ledger that were made for it. */
  readonly writes: number;
  readonly resource: MatchedResource | null;
  readonly path: string;
};

const isWrite = ({ constructor: { name }, input }: Command): boolean =>
  /^(Put|Update|Delete|TransactWrite|BatchWrite)Command$/.test(name) &&
  JSON.stringify(input).includes(`"${environment.tables.transactions}"`);

/** The functions themselves, called as API Gateway calls them, on a database in memory. */
export class Service {
  readonly database = new MemoryDatabase();
  #writes = 0;
  #requests = 0;

  /** Answers how to stop it. */
  readonly start = (): (() => void) =>
    answerFrom(async (command) => {
      const answer = await this.database.send(command);
      if (isWrite(command)) this.#writes++;
      return answer;
    });

  readonly send = async ({ method, target: text, headers, body }: WireRequest): Promise<WireAnswer> => {
    const writesBefore = this.#writes;
    const requestId = `req_${++this.#requests}`;
    const target = parseTarget(text);
    const resource = matchResource(method, target.path);
    const message = {
      method,
      rawHeaders: headers.flat(),
      headers: {},
      httpVersion: '1.1',
      socket: { remoteAddress: '127.0.0.1' },
    } as unknown as IncomingMessage;
    const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => 10_000 } as unknown as Context;
    const result = resource
      ? await handlers.endpoints[resource.operation ?? 'method-not-allowed'](
          toProxyEvent({ message, requestId, target, resource, body }),
          context,
        )
      : refusal(notFound, requestId);
    const answered = new Headers(Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)]));
    const isJson = answered.get('Content-Type')?.startsWith('application/json') === true;
    return {
      status: result.statusCode,
      headers: answered,
      text: result.body,
      body: result.body === '' ? null : isJson ? JSON.parse(result.body) : result.body,
      writes: this.#writes - writesBefore,
      resource,
      path: target.path,
    };
  };
}
