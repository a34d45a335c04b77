import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Coverage } from './coverage.tsx';
import { Customers } from './customers.tsx';
import { Filings } from './filings.tsx';
import type { Issuer } from './oidc.ts';
import { Overview } from './overview.tsx';
import { Button } from './parts.tsx';
import { ProductCodes } from './product-codes.tsx';
import { linkTo, parseRoute, type Route } from './route.ts';
import { closeSession, type OpenedSession, SessionContext, type Trouble } from './session.ts';
import { Settings } from './settings.tsx';
import { SignIn } from './sign-in.tsx';
import { Transactions } from './transactions.tsx';

const views = [
  ['overview', 'Overview', Overview],
  ['transactions', 'Transactions', Transactions],
  ['filings', 'Filings', Filings],
  ['coverage', 'Coverage', Coverage],
  ['product-codes', 'Product codes', ProductCodes],
  ['customers', 'Customers', Customers],
  ['settings', 'Settings', Settings],
] as const;

const useRoute = (): Route => {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const read = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
};

const Bar = ({ session, current, signOut }: { session: OpenedSession; current: string; signOut: () => void }) => (
  <header class="top">
    <a class="brand" href={linkTo(['overview'])}>
      Levy
    </a>
    <nav aria-label="Views">
      {views.map(([name, title]) => (
        <a key={name} href={linkTo([name])} aria-current={name === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
    <span class="account">
      {session.account.name}
      {!session.canWrite && ' (read only)'}
    </span>
    <Button onClick={signOut}>Sign out</Button>
  </header>
);

/** The page. It shows a signed-in user the view that the URL selects. */
const App = ({ issuer }: { issuer: Issuer | null }) => {
  const [session, setSession] = useState<OpenedSession | null>(null);
  const route = useRoute();
  const isSignedIn = session !== null;
  const [ended, setEnded] = useState<Trouble | null>(null);
  const open = (opened: OpenedSession | null) => {
    setEnded(null);
    setSession(opened);
  };
  const signOut = async (opened: OpenedSession) => {
    const trouble = await closeSession(opened);
    if (trouble) setEnded({ ...trouble, title: `You are still signed in: ${trouble.title}` });
    else open(null);
  };
  const path = route.path.join('/');
  // The focused link may no longer exist.
  useEffect(() => {
    document.getElementById('main')?.focus({ preventScroll: true });
    // The focus alone would scroll the navigation out of sight.
    scrollTo(0, 0);
  }, [path, isSignedIn]);
  const found = views.find(([view]) => view === route.path[0]);
  const [name, title, View] = found ?? views[0];
  document.title = session ? [route.path[1], title, 'Levy'].filter(Boolean).join(' · ') : 'Levy console';
  if (!session) return <SignIn issuer={issuer} onSession={open} />;
  return (
    <SessionContext.Provider value={{ ...session, endSession: setEnded }}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Bar session={session} current={name} signOut={() => void signOut(session)} />
      <main id="main" tabIndex={-1}>
        {ended && (
          <div class="notice bad" role="alert">
            <strong>{ended.title}</strong>
            {ended.kind === 'signed_out' ? (
              <>
                <p>{ended.advice} After you sign in, you return to this view.</p>
                <Button onClick={() => open(null)}>Sign in again</Button>
              </>
            ) : (
              <p>{ended.advice}</p>
            )}
          </div>
        )}
        {!found && route.path.length > 0 && <p class="notice">There is no view “{route.path[0]}”.</p>}
        <View path={route.path.slice(1)} query={route.query} />
      </main>
    </SessionContext.Provider>
  );
};

const issuer = document.querySelector<HTMLMetaElement>('meta[name="levy-issuer"]')?.content;

render(<App issuer={issuer ? (JSON.parse(issuer) as Issuer) : null} />, document.body);
