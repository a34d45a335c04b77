import * as z from 'zod/mini';
import { Calculation } from '../../calculations/response.ts';
import { RetrievedTransaction } from '../../transactions/history/response.ts';
import { Transaction } from '../../transactions/response.ts';
import { type Answer, Unexpected } from './session.ts';

const Envelope = z.object({ errors: z.array(z.object({ code: z.string(), detail: z.string() })) });

/** The first problem of an error response, or undefined for any other body. */
export const problemOf = (body: unknown): { readonly code: string; readonly detail: string } | undefined =>
  Envelope.safeParse(body).data?.errors[0];

const contentOf =
  <Schema extends z.ZodMiniType>(what: string, schema: Schema) =>
  (body: unknown): z.output<Schema> => {
    const read = schema.safeParse(body);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new Unexpected(`the body is not ${what}: ${issue?.path.join('.')} ${issue?.message}`);
  };

export const calculationOf = contentOf('a calculation', Calculation);
export const transactionOf = contentOf('a transaction', Transaction);
export const retrievedOf = contentOf('a transaction', RetrievedTransaction);

const Named = z.object({ id: z.string().check(z.regex(/^txn_\w+$/)), reference_id: z.string(), status: z.string() });
const Listed = z.object({ data: z.array(z.unknown()) });

/** The fields of a transaction that the clean-up needs. */
export const namedOf = (body: unknown): z.infer<typeof Named> | undefined => Named.safeParse(body).data;

export const rowsOf = (body: unknown): readonly unknown[] => Listed.safeParse(body).data?.data ?? [];

/** Fail the run with this message unless the condition holds. */
export const expected = (words: string, holds: boolean): void => {
  if (!holds) throw new Unexpected(words);
};

export const equal = (what: string, actual: unknown, expectedValue: unknown): void =>
  expected(
    `${what} is ${JSON.stringify(actual)}, should be ${JSON.stringify(expectedValue)}`,
    actual === expectedValue,
  );

const refusalOf = ({ body, headers }: Answer): string => {
  const first = problemOf(body);
  const id = headers.get('X-Request-Id');
  return `${first ? ` (${first.code}: ${first.detail})` : ''}${id ? `, request ${id}` : ''}`;
};

const forbiddenHeaders = ['Access-Control-Allow-Origin', 'X-Powered-By'];

/** Headers of every response. */
const checkHeaders = ({ headers }: Answer): void => {
  expected('X-Request-Id is missing', headers.has('X-Request-Id'));
  expected('Service-Version is missing', headers.has('Service-Version'));
  equal('X-Content-Type-Options', headers.get('X-Content-Type-Options'), 'nosniff');
  expected('Strict-Transport-Security is missing', headers.has('Strict-Transport-Security'));
  expected('Content-Security-Policy is missing', headers.has('Content-Security-Policy'));
  for (const name of forbiddenHeaders) expected(`${name} is there, and should not be`, !headers.has(name));
};

/** Check the status, the headers and the media type, and return the JSON body. */
export const answered = (answer: Answer, status: number): unknown => {
  expected(`status is ${answer.status}, should be ${status}${refusalOf(answer)}`, answer.status === status);
  checkHeaders(answer);
  expected(
    `Content-Type is ${answer.headers.get('Content-Type')}, should be application/json`,
    /^application\/json\b/.test(answer.headers.get('Content-Type') ?? ''),
  );
  expected('the body is not JSON', answer.body !== null);
  return answer.body;
};

/** As `answered`, with `Cache-Control: no-store`. */
export const answeredInPrivate = (answer: Answer, status: number): unknown => {
  const body = answered(answer, status);
  equal('Cache-Control', answer.headers.get('Cache-Control'), 'no-store');
  return body;
};

/** Check an error response with this status and code. */
export const refused = (answer: Answer, status: number, code: string): void => {
  const body = answered(answer, status);
  equal('the code of the refusal', problemOf(body)?.code, code);
};

/** Check a public document of this media type. */
export const published = (answer: Answer, type: string): void => {
  expected(`status is ${answer.status}, should be 200${refusalOf(answer)}`, answer.status === 200);
  checkHeaders(answer);
  const actual = answer.headers.get('Content-Type') ?? '';
  expected(`Content-Type is ${actual}, should be ${type}`, actual.startsWith(type));
  expected('ETag is missing', answer.headers.has('ETag'));
};
