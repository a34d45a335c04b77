import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyInVersion, currentBody, problemsInVersion, replyInVersion } from '../../shared/http/versions/shape.ts';
import { type Shapes, versions } from '../../shared/http/versions/shape.ts';
import { currentVersion, supportedVersions } from '../../shared/http/versions.ts';
import type { Problem } from '../../shared/problem.ts';
import { testVersions } from '../support/test-versions.ts';

describe.each([
  { name: 'the versions', of: versions },
  { name: 'those of the tests', of: testVersions },
])('$name', ({ of }) => {
  it('have names that say their day, and stand in the order of the days', () => {
    const names = of.map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^[a-z]+\.\d{4}-\d{2}-\d{2}$/);
    const days = names.map((name) => name.split('.')[1]);
    expect(days).toEqual(days.toSorted());
    expect(new Set(days).size).toBe(days.length);
  });

  it('begin with the first one, which changes nothing', () => {
    expect(of[0]).toEqual({ name: 'aspen.2026-10-01', changes: [] });
  });
});

it('the current version is the newest one', () => {
  expect(currentVersion).toBe(supportedVersions.at(-1));
  expect(supportedVersions).toEqual(versions.map(({ name }) => name));
});

/** Notes in which order it is asked. */
const noting = (name: string): Shapes => ({
  request: (body) => ({ ...body, path: `${body['path']}>${name}` }),
  response: (body) => ({ ...body, path: `${body['path']}<${name}` }),
  pointer: (pointer) => `${pointer}/${name}`,
});
const changes = [noting('older'), {}, noting('newer')];

describe('the changes since a version', () => {
  it('take a request from the oldest to the newest, and an answer back', () => {
    expect(currentBody({ path: '' }, changes)).toEqual({ path: '>older>newer' });
    expect(bodyInVersion({ path: '' }, changes)).toEqual({ path: '<newer<older' });
    expect(bodyInVersion('{"path":""}', changes)).toBe('{"path":"<newer<older"}');
  });

  it('are none for the current version: nothing is read, copied or written anew', () => {
    const body = { path: '' };
    expect(currentBody(body, [])).toBe(body);
    expect(bodyInVersion(body, [])).toBe(body);
    expect(bodyInVersion('no JSON', [])).toBe('no JSON');
  });

  it('leave alone what has the shape that was asked for, such as a file', () => {
    const reply = { status: 200, body: 'a,b', isShaped: true };
    expect(replyInVersion(reply, changes)).toBe(reply);
    expect(replyInVersion({ status: 200, body: { path: '' } }, changes).body).toEqual({ path: '<newer<older' });
  });

  it('leave a body that is no object to the checks', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
        expect(currentBody(body, changes)).toBe(body);
      }),
    );
  });

  it('name in the warnings what the client sent', () => {
    const warnings = [
      { code: 'c', message: 'm', pointer: '/a' },
      { code: 'c', message: 'm', pointer: null },
    ];
    expect(bodyInVersion({ path: '', warnings }, changes)).toMatchObject({
      warnings: [{ code: 'c', message: 'm', pointer: '/a/newer/older' }, { pointer: null }],
    });
  });

  it('move the pointers of problems, and the field in the title, and nothing else', () => {
    const problem: Problem = {
      code: 'validation_required_field',
      title: 'Missing a',
      detail: 'Send a.',
      source: { pointer: '/a' },
    };
    const inHeader: Problem = { ...problem, source: { header: 'a' } };
    expect(problemsInVersion([problem, inHeader], changes)).toEqual([
      { ...problem, title: 'Missing older', source: { pointer: '/a/newer/older' } },
      inHeader,
    ]);
  });
});
