import type { Chance } from './chance.ts';
import { hostileTexts } from './hostile.ts';
import type { Known } from './known.ts';
import type { DocumentedOperation } from './operations.ts';
import { valueAround } from './schema-values.ts';

const contentTypes = [
  ...['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset=utf-16'],
  ...['application/json; charset="UTF-8"', 'application/json;charset=latin1'],
  ...['application/json;', '', 'text/plain', 'application/jsonp', 'application/vnd.api+json', 'text/json'],
  ...['multipart/form-data; boundary=x', 'json', '*/*'],
];
const headerTexts = hostileTexts.filter((text) => /^[\x20-\x7e\xa0-\xff]*$/.test(text));

/** A header that is wrong or should be absent. */
export const hostileHeader = (operation: DocumentedOperation, known: Known, chance: Chance): [string, string] => {
  const text = () => chance.pick(headerTexts);
  const parameters = operation.parameters.filter((one) => one.in === 'header');
  return chance.pick<() => [string, string]>([
    () => ['Content-Type', chance.pick(contentTypes)],
    () => [
      chance.pick(['Content-Encoding', 'Transfer-Encoding']),
      chance.pick(['gzip', 'br', 'identity', 'identity, gzip', 'x']),
    ],
    () => ['Accept', chance.pick(['text/csv', 'text/html', '*/*;q=0', 'application/json;q=2', ',,;', text()])],
    () => [
      'Prefer',
      chance.pick(['handling=strict', 'handling=lenient', 'handling="strict"', 'respond-async', text()]),
    ],
    () => [
      'If-Match',
      chance.pick([known.tag(chance), `W/${known.tag(chance)}`, '"', `${known.tag(chance)},"x"`, text()]),
    ],
    () => ['If-None-Match', chance.pick([known.tag(chance), '*', '"', text()])],
    () => ['Idempotency-Key', chance.pick([...'abcd', 'k'.repeat(255), 'k'.repeat(256), '', ' ', 'é', text()])],
    () => ['Service-Version', chance.pick(['aspen.2026-10-01', 'aspen.2026-10-02', 'ASPEN.2026-10-01', '', text()])],
    () => [
      chance.pick(['X-API-Key', 'x-api-key', 'Authorization']),
      chance.pick(['', 'Bearer x', 'Bearer a.b.c', 'Basic eA==', text()]),
    ],
    () => [
      chance.pick(['__proto__', 'constructor', 'X-HTTP-Method-Override', 'X-Forwarded-Host', 'Host', 'Cookie']),
      text(),
    ],
    () => {
      const one = parameters.length > 0 ? chance.pick(parameters) : null;
      const value = one && valueAround(one.schema, chance);
      return [one?.name ?? 'Range', typeof value === 'string' && /^[\x20-\x7e]*$/.test(value) ? value : 'bytes=0-1'];
    },
  ])();
};
