import { expect, it } from 'vitest';
import { matches, type Pattern } from '../support/event-pattern.ts';

// The examples of the user guide for event patterns, in its words where they are of our operators.
const event = {
  eventName: 'INSERT',
  detail: {
    state: 'running',
    open: true,
    count: 3,
    nothing: null,
    tags: ['a', 'b'],
    'time.of': { region: 'us-east-1' },
  },
};

it.each<[string, Pattern, boolean]>([
  ['a field that has the value', { eventName: ['INSERT'] }, true],
  ['one of several values', { eventName: ['MODIFY', 'INSERT'] }, true],
  ['another value', { eventName: ['MODIFY'] }, false],
  ['the value in another case', { eventName: ['insert'] }, false],
  ['a part of the value', { eventName: ['INS'] }, false],
  ['the beginning of the value', { eventName: [{ prefix: 'INS' }] }, true],
  ['another beginning', { eventName: [{ prefix: 'NS' }] }, false],
  ['fields further in, all of them', { detail: { state: ['running'], open: [true] } }, true],
  ['fields further in, one of which differs', { detail: { state: ['running'], open: [false] } }, false],
  ['a field that is not there', { detail: { other: ['running'] } }, false],
  ['a field below one that is not there', { none: { other: ['running'] } }, false],
  ['a field below a text', { eventName: { S: ['INSERT'] } }, false],
  ['null, as null', { detail: { nothing: [null] } }, true],
  ['null, where there is nothing', { detail: { other: [null] } }, false],
  ['a number, and not its text', { detail: { count: ['3'] } }, false],
  ['one of a list', { detail: { tags: ['b'] } }, true],
  ['none of a list', { detail: { tags: ['c'] } }, false],
  ['no value at all', { eventName: [] }, false],
  ['nothing asked', {}, true],
])('a pattern of %s: %j is %s', (_what, pattern, expected) => {
  expect(matches(pattern, event)).toBe(expected);
});

it('knows no other operator, and says so', () => {
  expect(() => matches({ eventName: [{ suffix: 'T' }] } as unknown as Pattern, event)).toThrow('operator');
});
