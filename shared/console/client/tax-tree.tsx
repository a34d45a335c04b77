import { useState } from 'preact/hooks';
import { percent } from './amounts.ts';
import type { Charge } from './charges.ts';
import { Amount, wordsOf } from './parts.tsx';

/** The base of a tax. A fee has none. */
const Base = ({ of }: { of: Charge['taxes'][number] }) =>
  of.tax_type === 'fee' ? (
    <>(fee)</>
  ) : (
    <>
      ({percent(of.rate)} of <Amount of={of.taxable_amount} />
      {/[1-9]/.test(of.exempt_amount) && (
        <>
          , <Amount of={of.exempt_amount} /> exempt
        </>
      )}
      )
    </>
  );

const Taxes = ({ of }: { of: Charge['taxes'] }) =>
  of.length === 0 ? (
    <p>No jurisdiction taxes this line.</p>
  ) : (
    <ul>
      {of.map((row) => (
        <li key={row.jurisdiction_code + row.taxability_reason + row.rate}>
          {row.jurisdiction_name}: <Amount of={row.tax_amount} /> <Base of={row} />. {wordsOf(row.taxability_reason)}
          {row.rule_id && (
            <>
              , rule <code>{row.rule_id}</code>
            </>
          )}
        </li>
      ))}
    </ul>
  );

const pageSize = 50;

/** Lines, their jurisdictions and reasons. Long documents show fifty lines, and more on request. */
export const TaxTree = ({ charges }: { charges: readonly Charge[] }) => {
  const [shown, setShown] = useState(pageSize);
  const rest = charges.length - shown;
  return (
    <section class="panel" aria-labelledby="lines">
      <h2 id="lines">Lines</h2>
      {charges.slice(0, shown).map((charge) => (
        <details key={charge.id} open={charges.length <= 5}>
          <summary>
            <strong>{charge.title}</strong>
            {charge.details.map((detail) => ` · ${detail}`)} · net <Amount of={charge.net} /> · tax{' '}
            <Amount of={charge.tax} />
          </summary>
          <Taxes of={charge.taxes} />
        </details>
      ))}
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(rest, pageSize)} more of {rest} lines
        </button>
      )}
    </section>
  );
};
