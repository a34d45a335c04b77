import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compressBytes, compressText, decompressBytes, decompressText } from '../../shared/store/client/compressed.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { attributeOf, dictionary, storedText } from '../support/stored-bytes.ts';
import { created } from '../support/transactions.ts';

it('reads back any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
      expect(decompressBytes(compressBytes(bytes)).equals(bytes)).toBe(true);
    }),
  );
});

it('reads and writes the bytes of another implementation of the format', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500, unit: 'grapheme' }), (text) => {
      expect(decompressText(attributeOf(text))).toBe(text);
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

// Bits that fill the last byte of the deflated data have no meaning.
it('never reads another text from an attribute with any other bit, and refuses it before the last byte', () => {
  const text = JSON.stringify({ object: 'transaction', currency: 'USD', tax_amount: '8.25' });
  const compressed = compressText(text);
  for (let bit = 0; bit < compressed.length * 8; bit += 1) {
    const damaged = Buffer.from(compressed);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (bit >> 3 < compressed.length - 1) expect(() => decompressBytes(damaged), `bit ${bit}`).toThrow();
    else expect(textOrNull(damaged) ?? text).toBe(text);
  }
});

it('refuses an attribute that was cut, and one of an unknown version', () => {
  const compressed = Buffer.from(compressText('{"object":"transaction"}'));
  for (let length = 0; length < compressed.length; length += 1)
    expect(() => decompressBytes(compressed.subarray(0, length))).toThrow();
  compressed[0] = 2;
  expect(() => decompressBytes(compressed)).toThrow('A compressed attribute has an unknown version.');
});

it('takes less than 40 % of the bytes that gzip takes', () => {
  const { summary } = transactionItem('acct_1', created().after) as { summary: Uint8Array };
  const text = decompressText(summary);
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  expect(summary.byteLength * 2.5).toBeLessThan(gzipSync(text).byteLength);
});

it('keeps the dictionary that stored attributes need', () => {
  expect(createHash('sha256').update(dictionary).digest('hex')).toBe(
    '67b1d6843e8022f57333b691280990c4ae948ccaca308fa2a7baedd3a7332d1e',
  );
});
