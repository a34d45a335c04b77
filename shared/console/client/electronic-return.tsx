import { useState } from 'preact/hooks';
import { isStreamlinedMember, usesCompositeCodes } from '../../catalog/streamlined.ts';
import { type Levy, orThrow, type Schemas } from '../../client/client.ts';
import { isZero } from './format.ts';
import { ActionButton, ConfirmButton, useAction } from './load.tsx';
import { counted, download, lettersOf, periodName } from './parts.tsx';
import { amountsDue } from './payable.ts';
import { linkTo } from './route.ts';
import { useSession } from './session.ts';

type Filing = Schemas['Filing'];
type Query = { process_type?: 'P'; return_type?: 'O' | 'A'; acknowledge_exceptions?: string };

/** Downloads the return as XML. The name of the file has a hash, which changes with the return. */
const downloadReturn = async (of: Filing, query: Query, levy: Levy, signal?: AbortSignal): Promise<void> => {
  const headers = { Accept: 'application/xml' };
  const path = { id: of.id ?? '' };
  const reply = await levy.get('/filings/{id}', { path, query, headers, ...(signal && { signal }), maxTries: 4 });
  const name = /filename="([^"]+)"/.exec(reply.headers.get('Content-Disposition') ?? '')?.[1] ?? `${of.state}.xml`;
  download(name, new Blob([String(orThrow(reply))], { type: 'application/xml' }));
};

const ForTheState = ({ of }: { of: Filing }) => {
  const [isAmended, setAmended] = useState(false);
  const count = of.status === 'filed' ? 0 : (of.exceptions?.count ?? 0);
  const query = {
    process_type: 'P',
    return_type: isAmended ? 'A' : 'O',
    ...(count > 0 && { acknowledge_exceptions: String(count) }),
  } as const;
  return (
    <ConfirmButton
      title="Electronic return"
      label="Download the return"
      cancelLabel="Not yet"
      write={(levy, _key, signal) => downloadReturn(of, query, levy, signal)}
      onOpen={() => setAmended(false)}
      onDone={() => {}}
      content={JSON.stringify(query)}
    >
      <p>
        This downloads the simplified electronic return of {periodName(of)} as a file for production: the state
        processes it when you upload it. Then mark the filing as filed, with the confirmation number.
        {count > 0 && ` You confirm that you checked the ${counted(count, 'exception')}.`}
      </p>
      <label class="check">
        <input type="checkbox" checked={isAmended} onChange={(event) => setAmended(event.currentTarget.checked)} /> It
        amends a return of this period that was sent before.
      </label>
    </ConfirmButton>
  );
};

/** The downloads of the electronic return, in the states that accept it. */
export const ElectronicReturn = ({ of }: { of: Filing }) => {
  const { account } = useSession();
  const test = useAction(
    (levy, _key, signal) => downloadReturn(of, {}, levy, signal),
    () => {},
  );
  if (!isStreamlinedMember(of.state)) return null;
  const isLocalTaxDue = of.totals?.some(
    (total) => total.jurisdiction_type !== 'state' && amountsDue([total]).some(({ amount }) => !isZero(amount)),
  );
  if (usesCompositeCodes(of.state) && isLocalTaxDue)
    return (
      <p class="hint">
        The electronic return of {lettersOf(of.state)} needs composite codes of places, which Levy does not have. Enter
        the totals in the form of the state.
      </p>
    );
  if (account.return_identity === null)
    return (
      <p class="hint">
        The electronic return needs the identity of the business. Set it under{' '}
        <a href={linkTo(['settings'])}>Settings</a>.
      </p>
    );
  return (
    <>
      <ActionButton action={test} label="Electronic return, test" />
      <ForTheState of={of} />
    </>
  );
};
