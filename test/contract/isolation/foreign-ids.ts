import { ulid } from 'ulid';
import type { Random } from '../../fuzz/target.ts';

type Change = (id: string, random: Random, account: string) => string;

const letter = (random: Random) => random.pick([...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']);
const percent = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
/** Changes one character at a random position, or among the last `last` characters. */
const atPlace =
  (change: (char: string, random: Random) => string, last = Number.POSITIVE_INFINITY): Change =>
  (id, random) => {
    const at = id.length - 1 - random.below(Math.min(last, id.length - 1));
    return id.slice(0, at) + change(id.charAt(at), random) + id.slice(at + 1);
  };
const around =
  (...patterns: string[]): Change =>
  (id, random, account) =>
    random.pick(patterns).replaceAll('ID', id).replaceAll('ACCOUNT', account);

/** Ways to change an id so that a careless lookup might still find its object. */
export const idChanges: readonly Change[] = [
  (id) => id,
  atPlace((_, random) => letter(random)),
  atPlace((_, random) => letter(random), 4),
  atPlace((char, random) => char + letter(random)),
  atPlace(() => ''),
  (id, random) => id.slice(0, 1 + random.below(id.length - 1)),
  (id, random) => id.slice(1 + random.below(id.length - 1)),
  (id) => id.slice(4),
  (id) => id.toLowerCase(),
  (id) => id.toUpperCase(),
  atPlace((char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())),
  (id, random) => random.pick(['txn_', 'fil_', 'key_', 'TXN_', 'txn-', 'tx_', 'txn__', '_']) + id.slice(4),
  (id) => `${id.slice(0, 4)}${ulid()}`,
  (id) => `${id.slice(0, 14)}${ulid().slice(10)}`,
  (id) => [...id].reverse().join(''),
  around('IDID'),
  around(' ID', 'ID ', 'ID\t', 'ID\n', '\u0000ID', 'ID\u0000', 'ID\r\nX: y'),
  atPlace(percent),
  percent,
  (id) => percent(percent(id.slice(0, 8))) + id.slice(8),
  atPlace((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  atPlace((char, random) => char + random.pick(['\u0301', '\u200b', '\u00ad', '\ufeff', '\u{1f4b0}'])),
  around('../ID', './ID', 'x/../ID', 'ID/.', 'ID/..', '..\\ID', '/ID', 'ID/'),
  around('../../transactions/ID', '..%2fID', '%2e%2e/ID', '%2e%2e%2fID', '..;/ID'),
  around('ACCOUNT#ID', 'ACCOUNT/ID', 'ACCOUNT:ID', 'ACCOUNT.ID', 'ACCOUNT%23ID'),
  around('T#ACCOUNT#ID', 'F#ACCOUNT', 'F#ACCOUNT#ID#0', 'C#ACCOUNT#ID'),
  around(
    'ID#H',
    'ID#',
    'ID#A#0000000001',
    'ID#0',
    'ID?',
    'ID?x=1',
    'ID*',
    'ID%',
    'ID;v=1',
    'ID,',
    'ID"',
    "ID'",
    'ID&a=b',
  ),
  around('#ID', '"ID"', '[ID]', '{"S":"ID"}', '$ne', '__proto__', 'constructor', 'undefined', 'null', '0', '-1'),
  (id, random) => id.padEnd(60 + random.below(10), letter(random)),
  (id, random) => id.padEnd(1000 + random.below(2000), letter(random)),
];

/** Malformed paths to an id. They are sent without further encoding. */
export const strayPaths = (collection: string, id: string): readonly string[] =>
  [
    ...[`%2e%2e/${collection}/ID`, `../${collection}/ID`, './ID', '%2e/ID', '%2e%2e%2fID', '..%2f..%2fID', 'x/../ID'],
    ...['x%2f..%2fID', '/ID', 'ID/', 'ID//', 'ID/.', 'ID/..', 'ID/%2e%2e/ID', 'ID;a=b', 'ID%00', '%00ID', '\\..\\ID'],
    ...[
      'ID%0d%0aX-Account:%20other',
      'ID%3fexpand=history',
      'ID%23',
      '%ID',
      'ID%',
      'ID%zz',
      '%c0%ae%c0%ae/ID',
      '%ffID',
    ],
  ]
    .map((path) => `/${collection}/${path.replaceAll('ID', id)}`)
    .concat([
      ...[`//${collection}/${id}`, `/${collection.toUpperCase()}/${id}`, `/%74${collection.slice(1)}/${id}`],
      ...[`/v1/${collection}/${id}`, `/${collection}\\${id}`],
    ]);
