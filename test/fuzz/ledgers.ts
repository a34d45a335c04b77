/** Malicious ledger exports. */
import { createHash } from 'node:crypto';
import { newAccount } from '../../shared/accounts/account.ts';
import { LineHashChain, noCounts } from '../../shared/cli/ledger/format.ts';
import type { Input, Random } from './target.ts';
import { longText, mutateText } from './texts.ts';

/** Adds valid checksums and a trailer to lines, so the parser reads them. */
export const getLedger = (lines: readonly string[]): string => {
  const chain = new LineHashChain();
  const text = lines.map((line) => `${chain.close(line)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const counts = { ...noCounts(), period: 1 };
  const trailer = { kind: 'trailer', counts, releases: {}, lines: lines.length, sha256 };
  return `${text}${chain.close(JSON.stringify(trailer))}\n`;
};
const account = newAccount({ id: 'acct_fuzz', name: 'Fuzz', serviceVersion: '2026-08-01', createdMs: 0 });
const header = {
  kind: 'header',
  format: 'levy-ledger',
  format_version: 1,
  account,
  exported_at: '2026-11-22T00:00:00.000Z',
};
export const ledgerLines = [
  JSON.stringify(header),
  '{"kind":"period","state":"US-MN","period_end":"2026-06-30","filing":"fil_1"}',
];
export const makeLedger = (random: Random): Input => {
  const { pick, chance } = random;
  const deepest = pick([1, 10_000, 100_000]);
  const deep = pick(['[', '{"a":', '"', '{"kind":"period","state":"']).repeat(pick([10, 10_000, 150_000]));
  const nested = '['.repeat(deepest) + ']'.repeat(deepest);
  const kinds = ['audit_entry', 'transaction', 'open_entry', 'filing', 'filing_shard', 'chain', 'period', 'customer'];
  const field = pick(['entry', 'stored', 'filing', 'progress', 'customer', 'x']);
  const whole = `{"kind":"${pick(kinds)}","${field}":{"a":${nested}}}`;
  const lines = chance(0.3)
    ? [...ledgerLines.slice(0, 1), whole]
    : chance(0.5)
      ? [...ledgerLines, `{${deep}`, longText(random)]
      : mutateText(ledgerLines.join('\n'), random).split('\n');
  // A line is 60 bytes with its checksum.
  const text = chance(0.7) ? getLedger(lines.slice(0, 20_000)) : mutateText(getLedger(ledgerLines), random);
  return [{ name: 'ledger.ndjson', content: Buffer.from(text).subarray(0, 1_000_000) }];
};
