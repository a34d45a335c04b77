import { gzipSync } from 'node:zlib';
import type { Chance } from './chance.ts';

const bytesOf = (text: string) => Buffer.from(text, 'utf8');

const notJson = [
  '',
  ' ',
  'null',
  '[]',
  '"x"',
  '0',
  '-0',
  '1e400',
  'NaN',
  'undefined',
  "{'a':1}",
  '{a:1}',
  '{"a":1,}',
  '{',
  'a=1&b=2',
];

/** What may become of a text on its way, and what was no JSON from the beginning. */
export const damaged = (text: string, chance: Chance): Buffer => {
  const bytes = bytesOf(text);
  const at = chance.below(bytes.length + 1);
  const around = (middle: string | Buffer) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(middle as string), bytes.subarray(at)]);
  return chance.pick<() => Buffer>([
    () => bytes.subarray(0, at),
    () => around(Buffer.from([chance.pick([0xff, 0xc0, 0x80, 0xed, 0xf5])])),
    () => around(Buffer.from([0xed, 0xa0, 0x80])),
    () => around(chance.pick(['\0', '\u0007', '"', '{', ',', '}', '\u2028', '/* x */', '\\', '\\u12'])),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.from(text, 'utf16le'),
    () => gzipSync(bytes),
    () => bytesOf(`${text}${chance.pick(['x', text, '{}', ']', '\n', ' \t\r\n'])}`),
    () => bytesOf(chance.pick(notJson)),
    () => bytesOf('['.repeat(chance.pick([10, 1000, 10_000]))),
    () => (chance.is(0.05) ? bytesOf(`${text}${' '.repeat(1024 * 1024)}`) : bytesOf(text.replaceAll('"', '\\"'))),
  ])();
};
