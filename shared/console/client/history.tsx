import { everyItem, orThrow } from '../../client/client.ts';
import { brokenVersion } from './history-chain.ts';
import { Load, useLoad } from './load.tsx';
import { counted, Instant } from './parts.tsx';
import { useSession } from './session.ts';
import { Table } from './table.tsx';

/** All changes of a transaction, and whether the chain of their hashes is intact. */
export const History = ({ id, version }: { id: string; version: number }) => {
  const { levy } = useSession();
  const history = useLoad(`${id} ${version}`, async (signal) => {
    const page = async (cursor: object) =>
      orThrow(await levy.get('/transactions/{id}/history', { path: { id }, query: { limit: 100, ...cursor }, signal }));
    const entries = await Array.fromAsync(everyItem(page));
    const oldestFirst = entries.toSorted((a, b) => a.version - b.version);
    return { entries, broken: await brokenVersion(id, oldestFirst, version) };
  });
  return (
    <section class="panel" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Load of={history} what="the history">
        {({ entries, broken }) => (
          <>
            <p class={broken === null ? 'notice good' : 'notice bad'} role="status">
              {broken === null
                ? `The chain of hashes is intact, in ${counted(entries.length, 'version')}: this page computed the hash of each entry, and each names the one before. To prove the figures above, run npm run ledger -- verify.`
                : `The chain is broken at version ${broken}. Run npm run ledger -- verify, and keep the evidence.`}
            </p>
            <Table
              caption="Changes"
              columns={[
                { name: 'Version', isFigure: true, cell: (row) => row.version },
                { name: 'At', cell: (row) => <Instant of={row.at} /> },
                { name: 'By', cell: (row) => row.by },
                { name: 'Status', cell: (row) => (row.from === row.to ? row.to : `${row.from ?? 'new'} → ${row.to}`) },
                { name: 'Fields', cell: (row) => row.fields.join(', ') },
                { name: 'Hash', cell: (row) => <code>{row.hash.slice(0, 12)}…</code> },
              ]}
              rows={entries}
              keyOf={(row) => String(row.version)}
              empty="No entries."
            />
          </>
        )}
      </Load>
    </section>
  );
};
