import { describe, expect, it } from 'vitest';
import { hashKey, isMisspelt, newApiKey } from '../../shared/accounts/api-key.ts';

describe('an API key', () => {
  it('starts with levy_, is 44 characters long and is never the same twice', () => {
    const keys = Array.from({ length: 1000 }, newApiKey);
    expect(new Set(keys).size).toBe(1000);
    for (const key of keys) expect(key).toMatch(/^levy_[0-9A-Za-z]{39}$/);
  });

  it('has a valid checksum when it is new', () => {
    for (const key of Array.from({ length: 1000 }, newApiKey)) expect(isMisspelt(key)).toBe(false);
  });

  it('has an invalid checksum with any character changed, or two exchanged', () => {
    const key = newApiKey();
    for (let at = 'levy_'.length; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isMisspelt(key.slice(0, at) + other + key.slice(at + 1)), `character ${at}`).toBe(true);
      const exchanged = key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2);
      if (exchanged !== key) expect(isMisspelt(exchanged), `exchanged at ${at}`).toBe(true);
    }
  });

  it.each(['', 'any string', 'levy_', 'levy_demo', `levy_${'a'.repeat(40)}`, `LEVY_${'a'.repeat(39)}`])(
    'an API key of another shape is not misspelt, so it is looked up: "%s"',
    (key) => expect(isMisspelt(key)).toBe(false),
  );

  it('is stored under its SHA-256', () => {
    // From FIPS 180-2, appendix B.1.
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
