import { type Answer, type Body, Unexpected } from './session.ts';

/** Fail the run with this message unless the condition holds. */
export const expected = (words: string, holds: boolean): void => {
  if (!holds) throw new Unexpected(words);
};

export const equal = (what: string, actual: unknown, expectedValue: unknown): void =>
  expected(
    `${what} is ${JSON.stringify(actual)}, should be ${JSON.stringify(expectedValue)}`,
    actual === expectedValue,
  );

const requiredHeaders = [
  ...['X-Request-Id', 'Service-Version', 'X-Content-Type-Options'],
  ...['Strict-Transport-Security', 'Content-Security-Policy'],
];
const forbiddenHeaders = ['Access-Control-Allow-Origin', 'X-Powered-By'];

/** The code and detail of the first error, and the request id, if the response has them. */
const reasonOf = ({ body, headers }: Answer): string => {
  const [error] = Array.isArray(body?.['errors']) ? body['errors'] : [];
  return `${error ? ` (${error.code}: ${error.detail})` : ''}, request ${headers.get('X-Request-Id')}`;
};

/** Check the status, the headers and the media type of a response. */
export const checkResponse = (answer: Answer, status: number, type: string): void => {
  const { headers } = answer;
  expected(`status is ${answer.status}, should be ${status}${reasonOf(answer)}`, answer.status === status);
  for (const name of requiredHeaders) expected(`${name} is missing`, headers.has(name));
  for (const name of forbiddenHeaders) expected(`${name} is there, and should not be`, !headers.has(name));
  const actual = headers.get('Content-Type') ?? '';
  expected(`Content-Type is ${actual}, should be ${type}`, actual.startsWith(type));
};

/** Check a JSON response that no cache may store, and return its body. */
export const answered = (answer: Answer, status: number): Body => {
  checkResponse(answer, status, 'application/json');
  equal('Cache-Control', answer.headers.get('Cache-Control'), 'no-store');
  if (answer.body === null) throw new Unexpected('the body is not JSON');
  return answer.body;
};
