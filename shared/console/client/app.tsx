import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Coverage } from './coverage.tsx';
import { Customers } from './customers.tsx';
import { Filings } from './filings.tsx';
import type { Issuer } from './oidc.ts';
import { Overview } from './overview.tsx';
import { ProductCodes } from './product-codes.tsx';
import { linkTo, type Route, routeOf } from './route.ts';
import { type Session, SessionContext, type Trouble } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { Transactions } from './transactions.tsx';

const views = [
  ['overview', 'Overview', Overview],
  ['transactions', 'Transactions', Transactions],
  ['filings', 'Filings', Filings],
  ['coverage', 'Coverage', Coverage],
  ['product-codes', 'Product codes', ProductCodes],
  ['customers', 'Customers', Customers],
] as const;

const useRoute = (): Route => {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const read = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
};

const Bar = ({ session, current }: { session: Session; current: string }) => (
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
    <button type="button" onClick={session.signOut}>
      Sign out
    </button>
  </header>
);

/** The page, which shows the view that the URL selects to a signed-in user. */
const App = ({ issuer }: { issuer: Issuer | null }) => {
  const [session, setSession] = useState<Session | null>(null);
  const route = useRoute();
  const isSignedIn = session !== null;
  const [ended, setEnded] = useState<Trouble | null>(null);
  const [handlers] = useState(() => ({ signOut: () => setSession(null), endSession: setEnded }));
  const open = (opened: Session) => {
    setEnded(null);
    setSession(opened);
  };
  const path = route.path.join('/');
  // The focused link may no longer exist.
  useEffect(() => document.getElementById('main')?.focus(), [path, isSignedIn]);
  const found = views.find(([view]) => view === route.path[0]);
  const [name, title, View] = found ?? views[0];
  document.title = session ? [route.path[1], title, 'Levy'].filter(Boolean).join(' · ') : 'Levy console';
  if (!session) return <SignIn issuer={issuer} onSession={open} {...handlers} />;
  return (
    <SessionContext.Provider value={session}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Bar session={session} current={name} />
      <main id="main" tabIndex={-1}>
        {ended && (
          <div class="notice bad" role="alert">
            <strong>{ended.title}</strong>
            <p>{ended.advice} Sign in again: you return to this view.</p>
            <button type="button" onClick={session.signOut}>
              Sign in again
            </button>
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
