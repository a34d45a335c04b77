import type { components, paths } from './openapi-types.ts';
import type { CallOptions } from './send.ts';

/** The schemas of the API by name: `Schemas['TransactionRequest']`. */
export type Schemas = components['schemas'];

export type Method = 'get' | 'post';

type Content<Type, Media extends string> = Type extends { content: { [M in Media]: infer Body } } ? Body : never;
type Responses<O> = O extends { responses: infer R } ? R : never;
type OkStatus = 200 | 201 | 202;

/** The success body of an operation. */
export type Data<O, Media extends string = 'application/json'> = {
  [S in keyof Responses<O>]: S extends OkStatus ? Content<Responses<O>[S], Media> : never;
}[keyof Responses<O>];

/** The paths that return JSON; `/docs` returns a page. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Data<Operation<P, M>>] extends [never] ? never : P;
}[keyof paths];
export type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

type Given<O> = O extends { parameters: infer P } ? Pick<P, keyof P & ('path' | 'query')> : unknown;
// Accepts constants from callers. Unlike Readonly, this applies at every depth.
type Constant<T> = T extends object ? { readonly [K in keyof T]: Constant<T[K]> } : T;
type Sent<O> = O extends { requestBody: infer R }
  ? { readonly body: Constant<Content<R, 'application/json'>> }
  : unknown;
/** The input of a call: `path` and `query` parameters, `body`, and the options of the call. */
export type Input<O> = Given<O> & Sent<O> & CallOptions;
export type Arguments<O> = Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

type ErrorObject = Schemas['ErrorObject'];
type CodeOf<Body> = Body extends { errors: readonly (infer E)[] } ? (E extends { code: infer C } ? C : never) : never;
// Pairs the status and code of a refusal, so checking the code narrows the status. 429 and 5xx throw.
type RefusalOf<S, Response> = S extends 304
  ? { readonly status: 304; readonly code: 'not_modified'; readonly errors: readonly [] }
  : S extends 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 422
    ? {
        readonly status: S;
        /** The code of the first error. */
        readonly code: CodeOf<Content<Response, 'application/json'>>;
        readonly errors: readonly [ErrorObject, ...ErrorObject[]];
      }
    : never;
/** A refusal, with the error codes of the operation. */
export type Refusal<O> = { [S in keyof Responses<O>]: RefusalOf<S, Responses<O>[S]> }[keyof Responses<O>] & {
  /** The problem and what to send instead, for logs and developers. */
  readonly detail: string;
};

export type Result<Value, R> =
  | { readonly ok: true; readonly data: Value; readonly status: number; readonly headers: Headers }
  | { readonly ok: false; readonly refusal: R; readonly headers: Headers };
