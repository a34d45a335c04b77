/** The evidence of local treatment, and which rules of the releases carry it. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';

type Fact = Readonly<
  Record<'state' | 'topic' | 'product_family' | 'applies_to' | 'from' | 'confidence' | 'used_by' | 'reason', string>
>;

const text = readFileSync(new URL('../../shared/catalog/local/facts.csv', import.meta.url), 'utf8');
const facts: readonly Fact[] = parse<Fact>(text, { columns: true });
const byState = [...Map.groupBy(facts, ({ state }) => state)];
const usersOf = ({ used_by }: Fact): string[] => used_by.split(';').filter((user) => user !== '');
const nameOf = ({ state, topic, product_family, applies_to, from }: Fact) =>
  [state, topic, product_family, applies_to, from].join(' | ');

describe('the facts about local treatment', () => {
  it('are complete', () => expect(facts).toHaveLength(374));

  it.each(byState)('%s: each is used by rules or settings of the newest release, or has a reason', (state, own) => {
    const release = builtInRelease(state);
    const known = new Set([...(release?.rules ?? []).map(({ id }) => id), 'settings.shipping']);
    for (const fact of own) {
      const users = usersOf(fact);
      for (const user of users) expect(known, nameOf(fact)).toContain(user);
      expect(users.length > 0 || fact.reason !== '', nameOf(fact)).toBe(true);
    }
  });

  it.each(byState)('%s: none of low confidence changes an answer', (_, own) => {
    for (const fact of own) {
      expect(['high', 'medium-high', 'medium', 'low'], nameOf(fact)).toContain(fact.confidence);
      if (fact.confidence === 'low') expect(usersOf(fact), nameOf(fact)).toEqual([]);
    }
  });

  it.each(byState)('%s: the rules that a reason names exist', (state, own) => {
    const ids = new Set(builtInRelease(state)?.rules.map(({ id }) => id));
    const named = new RegExp(`\\b${state.toLowerCase()}-[a-z]+(?:-[a-z]+)*(?:-20\\d\\d)?`, 'g');
    for (const fact of own) for (const [id] of fact.reason.matchAll(named)) expect(ids, nameOf(fact)).toContain(id);
  });
});
