/** A vitest setup file: compares every answer that a test gets through test/support/api.ts with the OpenAPI document. */
import { onExchange } from '../support/api.ts';
import { problemsOf } from './validate-response.ts';

onExchange(({ method, path, answer: { status, headers, body, text } }) => {
  const isJson = headers.get('Content-Type')?.startsWith('application/json') === true;
  const sent = isJson ? body : text;
  const problems = problemsOf({ method, path, status, headers, body: text === '' ? null : sent });
  if (problems.length > 0) throw new Error(`The answer breaks its contract.\n${problems.join('\n')}`);
});
