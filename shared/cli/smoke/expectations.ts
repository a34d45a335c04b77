import { problemOf } from './contents.ts';
import { type Answer, Unexpected } from './session.ts';

/** What must hold, or the run fails with these words. */
export const expected = (words: string, holds: boolean): void => {
  if (!holds) throw new Unexpected(words);
};

export const equal = (what: string, is: unknown, shouldBe: unknown): void =>
  expected(`${what} is ${JSON.stringify(is)}, should be ${JSON.stringify(shouldBe)}`, is === shouldBe);

const refusalOf = ({ body, headers }: Answer): string => {
  const first = problemOf(body);
  const id = headers.get('X-Request-Id');
  return `${first ? ` (${first.code}: ${first.detail})` : ''}${id ? `, request ${id}` : ''}`;
};

const noneOfEveryAnswer = ['Access-Control-Allow-Origin', 'X-Powered-By'];

/** What every answer carries, whatever it says. */
const checkHeaders = ({ headers }: Answer): void => {
  expected('X-Request-Id is missing', headers.has('X-Request-Id'));
  expected('Service-Version is missing', headers.has('Service-Version'));
  equal('X-Content-Type-Options', headers.get('X-Content-Type-Options'), 'nosniff');
  expected('Strict-Transport-Security is missing', headers.has('Strict-Transport-Security'));
  expected('Content-Security-Policy is missing', headers.has('Content-Security-Policy'));
  for (const name of noneOfEveryAnswer) expected(`${name} is there, and should not be`, !headers.has(name));
};

/** An answer of this status in JSON, with the headers that every answer has. */
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

/** An answer about an account: nobody on the way may keep it. */
export const answeredInPrivate = (answer: Answer, status: number): unknown => {
  const body = answered(answer, status);
  equal('Cache-Control', answer.headers.get('Cache-Control'), 'no-store');
  return body;
};

/** A refusal of this status and code, in the envelope of errors. */
export const refused = (answer: Answer, status: number, code: string): void => {
  const body = answered(answer, status);
  equal('the code of the refusal', problemOf(body)?.code, code);
};

/** A document that anybody may read, of this type. */
export const published = (answer: Answer, type: string): void => {
  expected(`status is ${answer.status}, should be 200${refusalOf(answer)}`, answer.status === 200);
  checkHeaders(answer);
  const is = answer.headers.get('Content-Type') ?? '';
  expected(`Content-Type is ${is}, should be ${type}`, is.startsWith(type));
  expected('ETag is missing', answer.headers.has('ETag'));
};
