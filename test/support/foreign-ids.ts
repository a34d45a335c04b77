import { ulid } from 'ulid';

type Random = () => number;
type Change = (id: string, random: Random, accounts: readonly string[]) => string;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const under = (most: number, random: Random) => Math.floor(random() * most);
const oneOf = <Value>(values: readonly Value[], random: Random): Value => values[under(values.length, random)] as Value;
const put = (id: string, at: number, text: string, instead = 0) => id.slice(0, at) + text + id.slice(at + instead);
const letter = (random: Random) => alphabet.charAt(under(alphabet.length, random));
const flipCase = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());
const percent = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');

const changes: readonly Change[] = [
  (id) => id,
  (id, random) => put(id, under(id.length, random), letter(random), 1),
  (id, random) => put(id, id.length - 1 - under(4, random), letter(random), 1),
  (id, random) => put(id, under(id.length, random), letter(random)),
  (id, random) => put(id, under(id.length, random), '', 1),
  (id, random) => id.slice(0, 1 + under(id.length - 1, random)),
  (id, random) => id.slice(1 + under(id.length - 1, random)),
  (id) => id.slice(4),
  (id) => id.toLowerCase(),
  (id) => id.toUpperCase(),
  (id, random) => {
    const at = under(id.length, random);
    return put(id, at, flipCase(id.charAt(at)), 1);
  },
  (id, random) => `${oneOf(['txn_', 'fil_', 'key_', 'TXN_', 'txn-', 'tx_', 'txn__', '_'], random)}${id.slice(4)}`,
  (id, random) => `${id.slice(0, 4)}${ulid(Math.floor(random() * 2 ** 40), random)}`,
  (id, random) => `${id.slice(0, 14)}${ulid(0, random).slice(10)}`,
  (id) => [...id].reverse().join(''),
  (id) => id + id,
  (id, random) =>
    oneOf([` ${id}`, `${id} `, `${id}\t`, `${id}\n`, `\u0000${id}`, `${id}\u0000`, `${id}\r\nX: y`], random),
  (id, random) => {
    const at = under(id.length, random);
    return put(id, at, percent(id.charAt(at)), 1);
  },
  (id) => percent(id),
  (id) => percent(percent(id.slice(0, 8))) + id.slice(8),
  (id, random) => {
    const at = under(id.length, random);
    return put(id, at, String.fromCharCode(id.charCodeAt(at) + 0xfee0), 1);
  },
  (id, random) =>
    put(id, 1 + under(id.length - 1, random), oneOf(['\u0301', '\u200b', '\u00ad', '\ufeff', '\u{1f4b0}'], random)),
  (id, random) =>
    oneOf([`../${id}`, `./${id}`, `x/../${id}`, `${id}/.`, `${id}/..`, `..\\${id}`, `/${id}`, `${id}/`], random),
  (id, random) =>
    oneOf([`../../transactions/${id}`, `..%2f${id}`, `%2e%2e/${id}`, `%2e%2e%2f${id}`, `..;/${id}`], random),
  (id, random, accounts) => `${oneOf(accounts, random)}${oneOf(['#', '/', ':', '.', '%23'], random)}${id}`,
  (id, random, accounts) => oneOf([`T#${accounts[0]}#${id}`, `F#${accounts[0]}`, `F#${accounts[0]}#${id}#0`], random),
  (id, random) =>
    `${id}${oneOf(['#H', '#', '#A#0000000001', '#0', '?', '?x=1', '*', '%', ';v=1', ',', '"', "'", '&a=b'], random)}`,
  (id, random) =>
    oneOf(
      [
        `#${id}`,
        `"${id}"`,
        `[${id}]`,
        `{"S":"${id}"}`,
        `$ne`,
        `__proto__`,
        `constructor`,
        `undefined`,
        'null',
        '0',
        '-1',
      ],
      random,
    ),
  (id, random) => id.padEnd(60 + under(10, random), letter(random)),
  (id, random) => id.padEnd(1000 + under(2000, random), letter(random)),
];

/** Distinct texts that look like, or once were, ids of other accounts: one of theirs each, changed in some way or as it is. */
export const foreignIds = (
  ids: readonly string[],
  accounts: readonly string[],
  count: number,
  random: Random,
): readonly string[] => {
  const made = new Set<string>();
  for (let index = 0; made.size < count; index++) {
    const change = changes[index % changes.length] as Change;
    made.add(change(oneOf(ids, random), random, accounts) || 'x');
  }
  return [...made];
};

/** Paths that go astray on the way to an id, as they are sent: nothing more is encoded. */
export const strayPaths = (collection: string, id: string): readonly string[] => [
  `/${collection}/%2e%2e/${collection}/${id}`,
  `/${collection}/../${collection}/${id}`,
  `/${collection}/./${id}`,
  `/${collection}/%2e/${id}`,
  `/${collection}/%2e%2e%2f${id}`,
  `/${collection}/..%2f..%2f${id}`,
  `/${collection}/x/../${id}`,
  `/${collection}/x%2f..%2f${id}`,
  `/${collection}//${id}`,
  `//${collection}/${id}`,
  `/${collection}/${id}/`,
  `/${collection}/${id}//`,
  `/${collection}/${id}/.`,
  `/${collection}/${id}/..`,
  `/${collection}/${id}/%2e%2e/${id}`,
  `/${collection}/${id};a=b`,
  `/${collection}/${id}%00`,
  `/${collection}/%00${id}`,
  `/${collection}/${id}%0d%0aX-Account:%20other`,
  `/${collection}/${id}%3fexpand=history`,
  `/${collection}/${id}%23`,
  `/${collection}/%${id}`,
  `/${collection}/${id}%`,
  `/${collection}/${id}%zz`,
  `/${collection}/%c0%ae%c0%ae/${id}`,
  `/${collection}/%ff${id}`,
  `/${collection.toUpperCase()}/${id}`,
  `/%74${collection.slice(1)}/${id}`,
  `/v1/${collection}/${id}`,
  `/${collection}\\${id}`,
  `/${collection}/\\..\\${id}`,
];
