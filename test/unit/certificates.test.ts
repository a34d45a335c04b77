import { describe, expect, it } from 'vitest';
import { type Certificate, chooseCertificate, listCustomerIds } from '../../shared/calculations/certificates.ts';
import { seeded } from '../support/seeded.ts';

const certificate = (others: Partial<Certificate> = {}): Certificate => ({
  states: null,
  reason: 'resale',
  certificate_number: null,
  valid_from: null,
  valid_to: null,
  ...others,
});
const question = { customerId: 'cus_1', place: 'US-MI', placeName: 'Michigan', day: '2026-10-08' };
const choose = (...certificates: Certificate[]) => chooseCertificate(certificates, question);
const numbered = (certificate_number: string, others: Partial<Certificate> = {}) =>
  certificate({ certificate_number, ...others });

describe('the applicable certificate', () => {
  it.each<[string, Certificate[], string | null]>([
    ['none', [], null],
    ['a certificate for all states and days', [numbered('a')], 'a'],
    ['a certificate for the state', [numbered('a', { states: ['US-OH'] }), numbered('b', { states: ['US-MI'] })], 'b'],
    [
      'a certificate on its first and last day',
      [numbered('a', { valid_from: question.day, valid_to: question.day })],
      'a',
    ],
    ['none if it ended the day before', [numbered('a', { valid_to: '2026-10-07' })], null],
    ['none if it begins the day after', [numbered('a', { valid_from: '2026-10-09' })], null],
    [
      'the certificate that ends last',
      [numbered('a', { valid_to: '2026-11-01' }), numbered('b', { valid_to: '2026-12-01' })],
      'b',
    ],
    [
      'a certificate without a last day before one with a last day',
      [numbered('a', { valid_to: '9999-12-31' }), numbered('b')],
      'b',
    ],
    ['the first of two that end on the same day', [numbered('a'), numbered('b', { states: ['US-MI'] })], 'a'],
  ])('is %s', (_name, certificates, expected) => {
    expect(choose(...certificates).applied?.certificate_number ?? null).toBe(expected);
  });

  it('has its terms and the customer, but no states', () => {
    const terms = {
      reason: 'government',
      certificate_number: 'G-1',
      valid_from: '2026-01-01',
      valid_to: null,
    } as const;
    expect(choose({ ...terms, states: ['US-MI'] })).toEqual({
      applied: { customer_id: 'cus_1', ...terms },
      warnings: [],
    });
  });
});

describe('the warnings', () => {
  const codesAndDays = (...certificates: Certificate[]) =>
    choose(...certificates).warnings.map(({ code, message }) => `${code} ${/\d{4}-\d\d-\d\d/.exec(message)?.[0]}`);
  const old = ['2026-01-31', '2026-09-30', '2025-12-31'].map((valid_to) => certificate({ valid_to }));
  const later = ['2027-01-01', '2026-12-01', '2028-01-01'].map((valid_from) => certificate({ valid_from }));

  it.each([
    ['the last day of the most recently expired certificate', old, ['exemption_expired 2026-09-30']],
    ['the first day of the next certificate', later, ['exemption_not_yet_valid 2026-12-01']],
    ['both', [...later, ...old], ['exemption_expired 2026-09-30', 'exemption_not_yet_valid 2026-12-01']],
    ['no certificates for other states', [certificate({ states: ['US-OH'], valid_to: '2026-01-31' })], []],
    ['nothing if a certificate is valid', [...old, certificate()], []],
  ])('name %s', (_, certificates, expected) => expect(codesAndDays(...certificates)).toEqual(expected));

  it('name the certificate, the customer and the state, and say what to change', () => {
    const [expired] = choose(numbered('R-7', { valid_to: '2026-01-31' })).warnings;
    expect(expired?.message).toMatch(/R-7 .*cus_1 .*Michigan.*2026-01-31.*POST \/customers\/\{id\}/);
  });
});

// Counts days from 2026-01-01 and lists every day of a certificate, without comparing strings or ordering candidates.
const dayNumber = (day: string) => Math.round((Date.parse(day) - Date.parse('2026-01-01')) / 86_400_000);
const dayText = (number: number) => new Date(Date.parse('2026-01-01') + number * 86_400_000).toISOString().slice(0, 10);
const far = 10_000;

const oracle = (certificates: readonly Certificate[], place: string, day: number) => {
  const valid: { readonly index: number; readonly end: number }[] = [];
  const lastDays: number[] = [];
  const firstDays: number[] = [];
  for (const [index, each] of certificates.entries()) {
    if (each.states !== null && !new Set(each.states).has(place)) continue;
    const start = each.valid_from === null ? -far : dayNumber(each.valid_from);
    const end = each.valid_to === null ? far : dayNumber(each.valid_to);
    const covers = Array.from({ length: 60 }, (_, at) => at).filter((at) => at >= start && at <= end);
    if (covers.includes(day)) valid.push({ index, end });
    else if (end < day) lastDays.push(end);
    else firstDays.push(start);
  }
  const latest = Math.max(...valid.map(({ end }) => end));
  const chosen = valid.find(({ end }) => end === latest);
  if (chosen) return { number: String(chosen.index), warned: [] };
  const expired = lastDays.length > 0 ? [`exemption_expired ${dayText(Math.max(...lastDays))}`] : [];
  const next = firstDays.length > 0 ? [`exemption_not_yet_valid ${dayText(Math.min(...firstDays))}`] : [];
  return { number: null, warned: [...expired, ...next] };
};

it('matches an independent oracle for 20,000 random customers, states and days', () => {
  const random = seeded(16);
  const below = (most: number) => Math.floor(random() * most);
  const states = ['US-MI', 'US-OH', 'US-NY', 'US-CA'];
  const counts = { valid: 0, expired: 0, next: 0, none: 0 };
  for (let round = 0; round < 20_000; round++) {
    const certificates = Array.from({ length: below(6) }, (_, index): Certificate => {
      const [a, b] = [below(60), below(60)].sort((left, right) => left - right) as [number, number];
      return certificate({
        certificate_number: String(index),
        states: random() < 0.3 ? null : states.filter(() => random() < 0.4),
        valid_from: random() < 0.3 ? null : dayText(a),
        valid_to: random() < 0.3 ? null : dayText(b),
      });
    });
    const place = states[below(4)] as string;
    const day = below(60);
    const actual = chooseCertificate(certificates, { customerId: 'c', place, placeName: place, day: dayText(day) });
    const expected = oracle(certificates, place, day);
    const warned = actual.warnings.map(({ code, message }) => `${code} ${/\d{4}-\d\d-\d\d/.exec(message)?.[0]}`);
    expect({ number: actual.applied?.certificate_number ?? null, warned }).toEqual(expected);
    if (expected.number !== null) counts.valid += 1;
    else if (expected.warned.length === 0) counts.none += 1;
    if (warned.some((text) => text.startsWith('exemption_expired'))) counts.expired += 1;
    if (warned.some((text) => text.startsWith('exemption_not'))) counts.next += 1;
  }
  // Each outcome must occur often, so that all are tested.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(1000);
});

describe('the customers whose certificates are read', () => {
  const exemption = { type: 'resale' } as const;
  it.each<[string, Parameters<typeof listCustomerIds>[0], string[]]>([
    ['none without an id', { customer: {}, line_items: [{}] }, []],
    [
      "the document's customer, once for its lines",
      { customer: { id: 'a' }, line_items: [{}, {}, { customer: {} }] },
      ['a'],
    ],
    ['the customers of the lines', { customer: { id: 'a' }, line_items: [{ customer: { id: 'b' } }, {}] }, ['b', 'a']],
    ['none with an inline certificate', { customer: { id: 'a', exemption }, line_items: [{}] }, []],
    [
      'none for a line with an inline certificate',
      { customer: { id: 'a' }, line_items: [{ customer: { id: 'b', exemption } }] },
      [],
    ],
    [
      "the customer of a line, if only the document's customer has an inline certificate",
      { customer: { id: 'a', exemption }, line_items: [{ customer: { id: 'b' } }, { customer: { id: 'a' } }, {}] },
      ['b'],
    ],
    [
      'no customer of a line if the document has an inline certificate without an id',
      { customer: { exemption }, line_items: [{ customer: { id: 'b' } }] },
      [],
    ],
    ['empty if a marketplace collects', { customer: { id: 'a' }, collected_by: 'marketplace', line_items: [{}] }, []],
    ['none without lines', { customer: { id: 'a' } }, []],
  ])('are %s', (_name, input, expected) => {
    expect(listCustomerIds(input)).toEqual(expected);
  });
});
