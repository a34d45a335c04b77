import { ContentAge } from './content-age.tsx';
import { Drafts } from './expiring-drafts.tsx';
import { Registrations } from './registrations.tsx';
import { Due } from './returns-due.tsx';
import { useSession } from './session.ts';
import { Report } from './sums.tsx';
import type { ViewProps } from './view.ts';

/** The start page. */
export const Overview = ({ query }: ViewProps) => {
  const { account } = useSession();
  return (
    <>
      <h1>Overview</h1>
      {account.collects_in === 'not_set' && (
        <p class="notice">
          Registrations are not set: Levy calculates tax in every state, and no period closes automatically. An operator
          sets them with <code>npm run accounts -- settings</code>.
        </p>
      )}
      <Due />
      <Report query={query} />
      <Registrations />
      <Drafts />
      <ContentAge />
    </>
  );
};
