import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/http.ts';
import { bytesOf, two, withCalls } from '../support/isolation.ts';
import { refusalOf, sale } from '../support/sales.ts';

const billed = (reference_id: string) => ({ reference_id, total_amount: '106.00', tax_amount: '6.00' });
const idsOf = (answer: Answer<{ data: { id: string }[] }>) => answer.body.data.map(({ id }) => id);

describe('equal names in two accounts are independent', () => {
  it('lists of a reference and of a customer have one account only', async () => {
    for (const of of ['owner', 'stranger'] as const) {
      const lists = await Promise.all([
        two[of].call('GET', '/transactions?reference_id=the-same-reference'),
        two[of].call('GET', '/transactions?customer_id=the-same-customer'),
        two[of].call('GET', `/transactions?parent_transaction_id=${two[of].sale}`),
        two[of].call('GET', '/filings'),
      ]);
      const { sale, voided, draft, credit, filing, earlier } = two[of];
      expect(lists.map((list) => idsOf(list).sort())).toEqual(
        [[sale], [credit, sale, voided, draft], [credit], [filing, earlier]].map((ids) => ids.sort()),
      );
    }
  });

  it('the same request and Idempotency-Key makes a transaction in each account, and replays its own', async () => {
    expect(two.stranger.sale).not.toBe(two.owner.sale);
    for (const of of ['owner', 'stranger'] as const) {
      const request = { body: two[of].bodies.finalized, headers: { 'Idempotency-Key': 'the-same-key' } };
      const { headers, body } = await two[of].call('POST', '/transactions', request);
      expect([headers.get('Idempotent-Replayed'), body.id]).toEqual(['true', two[of].sale]);
    }
  });

  it('a reference of the other account can be used in creates, changes and finalizations', async () => {
    const body = sale({ status: 'finalized', reference_id: 'of-the-owner' });
    const first = await two.owner.call('POST', '/transactions', { body });
    const other = await two.stranger.call('POST', '/transactions', { body });
    expect([first.status, other.status]).toEqual([201, 201]);
    const again = await two.stranger.call('POST', '/transactions', { body });
    expect(refusalOf(again)).toBe('409 | conflict_duplicate_reference_id /reference_id');
    expect(again.body.errors[0].meta.transaction_id).toBe(other.body.id);
    await two.owner.call('POST', '/transactions', { body: sale({ reference_id: 'of-the-owners-draft' }) });
    const draft = await two.stranger.call('POST', '/transactions', { body: sale() });
    const renamed = await two.stranger.call('POST', `/transactions/${draft.body.id}`, {
      body: { status: 'finalized', reference_id: 'of-the-owners-draft' },
    });
    expect([renamed.status, renamed.body.reference_id]).toEqual([200, 'of-the-owners-draft']);
  });

  it('a reconciliation with the references of the other account does not find them, for any references and amounts', async () => {
    const references = ['theirs-sale', 'theirs-draft', 'theirs-void'] as const;
    const [ownersSale, , ownersVoid] = await Promise.all(
      references.map((reference_id) => {
        const status = reference_id === 'theirs-draft' ? 'draft' : 'finalized';
        return two.owner.call('POST', '/transactions', { body: sale({ status, reference_id }) });
      }),
    );
    await two.owner.call('POST', `/transactions/${ownersVoid?.body.id}`, { body: { status: 'void' } });
    const ask = (names: readonly string[], tax_amount: string) => {
      const transactions = names.map((reference_id) => ({ ...billed(reference_id), tax_amount }));
      const body = { from: '2026-10-01', to: '2026-10-31', transactions };
      return withCalls(() => two.stranger.call('POST', '/reconciliations', { body }));
    };
    const nobody = ['nobody-sale', 'nobody-draft', 'nobody-void'];
    for (const tax of ['6.00', '7.00']) {
      const foreign = await ask(references, tax);
      const absent = await ask(nobody, tax);
      const { missing, different, matched_count, extra } = foreign.value.body;
      const never = references.map((reference_id) => ({ reference_id, transaction_id: null, reason: 'not_found' }));
      expect([missing, different, matched_count]).toEqual([never, [], 0]);
      expect(extra.map(({ transaction_id }) => transaction_id)).not.toContain(ownersSale?.body.id);
      const renamed = foreign.value.text.replaceAll('theirs-', 'nobody-');
      expect(bytesOf({ ...foreign.value, text: renamed })).toEqual(bytesOf(absent.value));
      expect(foreign.calls).toEqual(absent.calls);
    }
  });

  it("keeps a filing's sales and totals apart when both accounts closed the period", async () => {
    for (const of of ['owner', 'stranger'] as const) {
      const { body } = await two[of].call('GET', `/filings/${two[of].filing}?expand=entries`);
      const entries = body.entries.data.map(({ transaction_id }) => transaction_id);
      expect(entries.sort()).toEqual([two[of].sale, two[of].credit].sort());
      const csv = await two[of].call('GET', `/filings/${two[of].filing}?expand=entries`, {
        headers: { Accept: 'text/csv' },
      });
      expect(csv.text).toContain(two[of].sale);
      expect(csv.text).not.toContain(two[of === 'owner' ? 'stranger' : 'owner'].sale);
      const again = await two[of].call('POST', '/filings', { body: { state: 'MI', period_end: '2026-10-31' } });
      expect(again.body.id).toBe(two[of].filing);
    }
  });
});
