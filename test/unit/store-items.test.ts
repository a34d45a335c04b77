import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noAmounts } from '../../shared/ledger/credits/amounts.ts';
import { compressText, decompressBytes, decompressText } from '../../shared/store/client/compressed.ts';
import * as keys from '../../shared/store/keys.ts';
import { claimItem } from '../../shared/store/ledger/commit-writes.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { dictionary, getAttribute, storedBytes, storedText } from '../support/raw-items.ts';
import { created, deadlineMs, finalized, line, newTransactionId } from '../support/transactions.ts';

it('sets a TTL only on the claim of a draft', () => {
  const one = { reference_id: 'one' };
  const deadline = { expires_at: new Date(deadlineMs).toISOString(), ttl: deadlineMs / 1000 + 3600 };
  expect(claimItem('acct_1', 'one', created(one).after)).toMatchObject(deadline);
  // An old expiry time that a caller did not clear.
  const final = claimItem('acct_1', 'one', created({ ...finalized, ...one, expires_at: deadline.expires_at }).after);
  expect(Object.keys(final).sort()).toEqual(['pk', 'sk', 'transaction_id']);
});

describe('store keys', () => {
  // Levy finds the items of earlier versions by these keys. The shards and the digest were calculated with hashlib of Python.
  it('keeps the keys of stored items', () => {
    const entry = { transactionId: 'txn_1', state: 'US-MI', month: '2026-10', currency: 'USD' };
    const release = 'US-MN@2026-11-21.2';
    const built = [
      keys.headKey('acct_1', 'txn_1'),
      keys.auditKey('acct_1', 'txn_1', 7),
      keys.claimKey('acct_1', 'abc'),
      keys.idempotencyKey('acct_1', 'digest'),
      keys.customerKey('acct_1', 'a#b'),
      keys.openEntryKey('acct_1', entry),
      keys.filedEntryKey('acct_1', 'fil_1', entry),
      keys.filingProgressKey('acct_1', 'fil_1', 3),
      keys.filingKey('acct_1', 'fil_1'),
      keys.dueKey({ account: 'acct_1', subject: 'US-MI', at: '2026-11-03' }),
      keys.accountKey('acct_1'),
      keys.apiKeyKey('digest'),
      keys.keyNameKey('acct_1', 'key_1'),
      keys.releaseHeadKey(release),
      keys.importClaimKey(release),
      keys.partKey(release, '55401'),
    ];
    expect(built.map(keys.itemPlace)).toEqual([
      'T#acct_1#txn_1 H',
      'T#acct_1#txn_1 A#0000000007',
      'R#acct_1#ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad R',
      'I#acct_1#digest I',
      'C#acct_1 a#b',
      'O#acct_1#US-MI#6 2026-10#txn_1#USD',
      'F#acct_1#fil_1#6 txn_1#USD',
      'F#acct_1#fil_1#3 !',
      'F#acct_1 fil_1',
      'DUE#6 2026-11-03#acct_1#US-MI',
      'ACCOUNT#acct_1 ACCOUNT',
      'KEY#digest KEY',
      'ACCOUNT#acct_1 KEY#key_1',
      'R#US-MN 2026-11-21#000002',
      'R#US-MN C#2026-11-21#000002',
      'P#US-MN@2026-11-21.2#2 55401',
    ]);
    expect(keys.draftShard('acct_1', 'txn_1')).toBe('D#2');
  });

  it.each([
    ['2026-10-08', '2026-10-08T00:00:00.000Z'],
    ['2026-10-08T12:30Z', '2026-10-08T12:30:00.000Z'],
    ['2026-10-08T12:30:01.5+00:00', '2026-10-08T12:30:01.500Z'],
    ['2026-10-08T12:30:01.123456789Z', '2026-10-08T12:30:01.123Z'],
  ])('encodes the tax date %s as %s', (sent, written) => {
    expect(keys.taxDateId(sent, 'txn_1')).toBe(`${written}#txn_1`);
  });

  it('spreads drafts over all shards', () => {
    const shards = Array.from({ length: 400 }, () => keys.draftShard('acct_1', newTransactionId()));
    expect([...new Set(shards)].sort()).toEqual(
      Array.from({ length: keys.draftShards }, (_, shard) => keys.draftPartition(shard)),
    );
  });

  describe('releases', () => {
    it.each([
      ...['', 'US-MN', 'US-MN@2026-11-21', 'US-MN@2026-11-21.0', 'US-MN@2026-11-21.01', 'us-mn@2026-11-21.1'],
      ...['US-MN@2026-11-21.1 '],
    ])('uses ids of a fixed format: %j is rejected', (id) => {
      expect(keys.stateOfRelease(id)).toBeUndefined();
      expect(() => keys.releaseHeadKey(id)).toThrow('must have a state, a day');
    });

    it('distributes parts over sixteen partitions by their keys', () => {
      const parts = Array.from({ length: 500 }, (_, index) =>
        keys.partKey('US-MN@2026-11-21.1', String(55001 + index)),
      );
      const partitions = Array.from({ length: keys.partShards }, (_, shard) =>
        keys.partPartition('US-MN@2026-11-21.1', shard),
      );
      expect(new Set(parts.map(({ pk }) => pk))).toEqual(new Set(partitions));
      expect(keys.partShards).toBe(16);
      expect(keys.partKey('US-MN@2026-11-21.1', '55401')).toEqual(keys.partKey('US-MN@2026-11-21.1', '55401'));
    });
  });
});

describe('compressed attributes', () => {
  it('decompresses the output of an independent implementation of the format', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500, unit: 'grapheme' }), (text) => {
        expect(decompressText(getAttribute(text))).toBe(text);
        expect(storedText(compressText(text))).toBe(text);
      }),
    );
  });

  const textOrNull = (attribute: Uint8Array): string | null => {
    try {
      return decompressText(attribute);
    } catch {
      return null;
    }
  };

  // The padding bits in the last byte of the deflated data have no meaning.
  it('never returns different text if any bit is flipped, and throws before the last byte', () => {
    const text = JSON.stringify({ object: 'transaction', currency: 'USD', tax_amount: '8.25' });
    const compressed = compressText(text);
    for (let bit = 0; bit < compressed.length * 8; bit += 1) {
      const damaged = Buffer.from(compressed);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (bit >> 3 < compressed.length - 1) expect(() => decompressBytes(damaged), `bit ${bit}`).toThrow();
      else expect(textOrNull(damaged) ?? text).toBe(text);
    }
  });

  it('rejects a truncated attribute, and an unknown version', () => {
    const compressed = Buffer.from(compressText('{"object":"transaction"}'));
    for (let length = 0; length < compressed.length; length += 1)
      expect(() => decompressBytes(compressed.subarray(0, length))).toThrow();
    compressed[0] = 2;
    expect(() => decompressBytes(compressed)).toThrow('A compressed attribute has an unknown version.');
  });

  it('compresses to less than 40% of the gzip size', () => {
    const { summary } = transactionItem('acct_1', created().after) as unknown as { summary: Uint8Array };
    const text = decompressText(summary);
    const { gzipSync } = process.getBuiltinModule('node:zlib');
    expect(summary.byteLength * 2.5).toBeLessThan(gzipSync(text).byteLength);
  });

  it('keeps the dictionary of stored attributes', () => {
    expect(createHash('sha256').update(dictionary).digest('hex')).toBe(
      '67b1d6843e8022f57333b691280990c4ae948ccaca308fa2a7baedd3a7332d1e',
    );
  });
});

describe('stored transactions', () => {
  const getAttributes = (changes: Parameters<typeof created>[0]) => transactionItem('acct_1', created(changes).after);
  describe('transaction items', () => {
    it('stores top-level attributes only for condition expressions, list indexes and people', () => {
      const { summary, lines, ...attributes } = getAttributes({
        id: 'txn_1',
        reference_id: 'a#b',
        parent_transaction_id: 'txn_0',
        customer: { id: 'c' },
        tax_date: '2026-10-08T01:02:03+00:00',
        tax_summary: ['US-IL', 'US-MI', 'US-IL-00-031'].map((jurisdiction_code) => ({ jurisdiction_code }) as never),
      });
      expect(attributes).toEqual({
        pk: 'T#acct_1#txn_1',
        sk: 'H',
        account: 'acct_1',
        id: 'txn_1',
        status: 'draft',
        type: 'sale',
        states: ['IL', 'MI'],
        version: 1,
        created_at: '2026-10-08T12:00:00.000Z',
        expires_at: '2026-10-09T12:00:00.000Z',
        draft_shard: expect.stringMatching(/^D#[0-7]$/),
        tax_day: '2026-10-08',
        tax_date_id: '2026-10-08T01:02:03.000Z#txn_1',
        total_amount: '10.60',
        tax_amount: '0.60',
        credited_amount: '0.00',
        credited_tax_amount: '0.00',
        reference_id: 'a#b',
        account_reference: 'acct_1#a#b',
        parent_transaction_id: 'txn_0',
        account_parent: 'acct_1#txn_0',
        customer_id: 'c',
        account_customer: 'acct_1#c',
        auditHash: expect.any(String),
        commitments: { salt: expect.any(String) },
      });
    });

    it('omits an item from an index if its key is missing', () => {
      const sparse = ['account_credit', 'account_customer', 'account_parent', 'account_reference'];
      expect(Object.keys(getAttributes({ customer: null })).filter((name) => sparse.includes(name))).toEqual([]);
      const deadlines = ['expires_at', 'draft_shard'];
      // An old expiry time that a caller did not clear does not make it a draft.
      const final = Object.keys(getAttributes({ ...finalized, expires_at: '2026-10-09T12:00:00.000Z' }));
      expect(final.filter((name) => deadlines.includes(name))).toEqual([]);
    });
  });

  it('stores credited amounts in a compact string, with the difference of the calculated tax', () => {
    const row = { taxable: 1000n, exempt: 0n, tax: 80n, calculated: 60n };
    const { after } = created({ line_items: ['one', 'two'].map((id) => line({ id })) });
    const one = { ...noAmounts, net: 1000n, tax: 80n, taxable: 1000n, rows: [row] };
    const stored = { ...after, credited: { ...after.credited, charges: new Map([['one', one]]) } };
    const item = transactionItem('acct_1', stored);
    const text = storedBytes(item['credited']).toString('hex');
    expect(text.replace('f', '').split('b')).toEqual(['1000a80aaa1000aa1000aa80ac20', '', 'a']);
    expect(transactionFrom(item)).toEqual(stored);
  });

  it('stores counters only for the lines of the transaction', () => {
    const { after } = created();
    const wrong = { ...after, credited: { ...after.credited, charges: new Map([['another', noAmounts]]) } };
    expect(() => transactionItem('acct_1', wrong)).toThrow('a charge that is not on the sale');
  });
});
