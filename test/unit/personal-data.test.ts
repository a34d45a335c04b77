import { expect, it } from 'vitest';
import { hashState } from '../../shared/ledger/audit.ts';
import { newSalt, withoutPersonalData } from '../../shared/ledger/personal-data/fields.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { committedHash, personalDigest } from '../support/committed-hash.ts';
import { created, line } from '../support/transactions.ts';

const detroit = { city: 'Detroit', county: 'Wayne', state: 'MI', country: 'US' };
const address = { ...detroit, line1: '1 Woodward Avenue', postal_code: '48226-1234' };
const exemption = { type: 'resale' as const, certificate_id: 'R-1', regions: ['MI'] };
const always = { reason: 'resale', valid_from: null, valid_to: null } as const;
const applied = { ...always, customer_id: 'cus_1', certificate_number: 'R-2' };
const customer = { id: 'cus_1', address, exemption };

const ofLine = { description: 'Engraved', metadata: { gift: 'yes' }, applied_exemption: applied };
/** A transaction with every personal field. */
const whole: Partial<Transaction> = {
  customer,
  ship_from: { address },
  metadata: { email: 'a@example.org' },
  void_reason: 'A. asked for it',
  warnings: [{ code: 'exemption_expired', message: 'The resale certificate R-1 expired.', pointer: null }],
  explanation: [{ step: 'address', pointer: null, text: 'Shipped to 48226-1234.', rule_id: null, citation: null }],
  line_items: [line({ ...ofLine, customer, ship_from: { address } })],
};

const stored = (changes: Partial<Transaction>, salt = newSalt()): StoredTransaction => ({
  ...created(changes).after,
  commitments: { salt },
});

const without = (changes: Partial<Transaction>) => withoutPersonalData(created(changes).after.transaction);

it('removes every personal field and keeps the rest', () => {
  const after = without(whole);
  const place = { ...address, line1: null, postal_code: '48226' };
  const applied_exemption = { ...always, customer_id: null, certificate_number: null };
  const buyer = { id: null, address: place, exemption: { ...exemption, certificate_id: null } };
  expect(after).toMatchObject({
    customer: buyer,
    ship_from: { address: place },
    metadata: {},
    void_reason: null,
    warnings: [{ code: 'exemption_expired', pointer: null }],
    line_items: [{ description: null, metadata: {}, customer: buyer, applied_exemption }],
  });
  expect(JSON.stringify(after)).not.toMatch(/Woodward|1234|cus_1|R-[12]|example|Engraved|asked|gift/);
  expect(withoutPersonalData(after)).toEqual(after);
});

it('keeps the exemption "none"', () => {
  expect(without({ customer: { id: 'cus_1', exemption: 'none' } }).customer).toEqual({ id: null, exemption: 'none' });
});

it.each([
  ['48226', '48226'],
  ['48226-1234', '48226'],
  ['482261234', '48226'],
  [' 48226', '48226'],
  ['K1A 0B1', null],
  ['', ''],
  [null, null],
])('keeps the five digits of the postal code %s: %s', (postal_code, expected) => {
  const { customer: buyer } = without({ customer: { address: { postal_code } } });
  expect(buyer?.address?.postal_code).toBe(expected);
});

it('hashes commitments like an independent implementation, with and without each field', () => {
  for (const changes of [whole, {}, ...Object.entries(whole).map(([name, value]) => ({ [name]: value }))]) {
    const salt = newSalt();
    const { transaction } = stored(changes);
    const expected = committedHash(transaction, personalDigest(transaction, salt));
    expect(hashState({ transaction, commitments: { salt } })).toBe(expected);
  }
});
