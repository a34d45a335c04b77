import type { Patch } from './platform.ts';

/** Seeded bugs of redactions. */
export const redactionMutants: Readonly<Record<string, readonly Patch[]>> = {
  'salt kept by a redaction': [
    { find: 'commitments: { digest: committedState(transaction, commitments).digest },', replace: 'commitments,' },
  ],
  'commitments made anew by a redaction': [
    {
      find: 'commitments: { digest: committedState(transaction, commitments).digest },',
      replace: "commitments: { digest: committedState(transaction, { salt: 'other' }).digest },",
    },
  ],
  'saved answers left by a redaction': [
    { find: 'const answer = redactedAnswer(record, now());', replace: 'const answer: Uint8Array | null = null;' },
  ],
  'entries left by a redaction': [
    { find: 'after: entryWithout(place.entry, version) }));', replace: 'after: { ...place.entry, version } }));' },
  ],
  'entries looked for among the open ones alone': [
    {
      find: 'const all = isOpen(open) ? open : await findEntries(account, expected, await allFilings(account));',
      replace: 'const all = open;',
    },
  ],
  'entry that a filing moves passed over': [
    { find: 'if (places.length !== expected.length) return null;', replace: '' },
  ],
  'entry moved back as it was before its redaction': [
    {
      find: 'remove(filedEntryKey(account, id, entry), asSeen(entry)),',
      replace: 'remove(filedEntryKey(account, id, entry), present),',
    },
    { find: 'return { ...entry, version, document', replace: 'return { ...entry, document' },
  ],
  'redacted draft credit recomputed with the data of its sale': [
    {
      find: 'const kept = next.redacted_at === undefined ? next : redactedForm(next);',
      replace: 'const kept = next;',
    },
  ],
  'new data taken by a redacted transaction': [{ find: 'if (ofRedacted.length > 0) return ofRedacted;', replace: '' }],
};
