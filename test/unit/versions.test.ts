import { describe, expect, it } from 'vitest';
import type { Problem } from '../../shared/base/problem.ts';
import {
  bodyInVersion,
  currentBody,
  problemsInVersion,
  type Shapes,
  versions,
} from '../../shared/http/versions/shape.ts';
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

/** Records the order of calls. */
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
