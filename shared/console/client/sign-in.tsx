import { useEffect, useState } from 'preact/hooks';
import { type Issuer, returnedFrom, signInAddress } from './oidc.ts';
import { type Credential, getTrouble, isKey, type OpenedSession, openSession } from './session.ts';

type Props = {
  readonly issuer: Issuer | null;
  readonly onSession: (session: OpenedSession) => void;
};

const noSuchKey = 'There is no such API key, or it was revoked. Check it, and try again.';

const getAdvice = (error: unknown): string => {
  const trouble = getTrouble(error);
  if (!trouble) return '';
  if (trouble.code === 'auth_api_key_not_found') return noSuchKey;
  return trouble.kind === 'signed_out' ? trouble.advice : `${trouble.title}. ${trouble.advice}`;
};

/** The sign-in form, for an API key or the company's identity provider. */
export const SignIn = ({ issuer, onSession }: Props) => {
  const [failure, setFailure] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  // Before the form, the page tries the browser's session.
  const [hasTried, setTried] = useState(false);
  const open = (credential: Credential | null) => {
    setWaiting(true);
    setFailure('');
    openSession(credential, location.href)
      .then(onSession, (error: unknown) => {
        const isNew = credential === null && getTrouble(error)?.kind === 'signed_out';
        if (!isNew) setFailure(getAdvice(error));
        setTried(true);
      })
      .finally(() => setWaiting(false));
  };
  /** Completes a sign-in at the issuer, and removes the code from the URL. */
  const comeBack = async (configured: Issuer) => {
    setWaiting(true);
    const returned = await returnedFrom(configured, location.href, sessionStorage).catch((error: unknown) => ({
      failure: String(error),
    }));
    setWaiting(false);
    if (!returned) return open(null);
    setTried(true);
    history.replaceState(null, '', `${location.pathname}${'hash' in returned ? returned.hash : ''}`);
    if ('failure' in returned) return setFailure(returned.failure);
    dispatchEvent(new HashChangeEvent('hashchange'));
    open({ token: returned.token });
  };
  // Runs once, when the page loads.
  useEffect(() => {
    if (issuer) void comeBack(issuer);
    else open(null);
  }, []);
  const atIssuer = async (configured: Issuer) => {
    try {
      location.assign(await signInAddress(configured, { address: location.href, hash: location.hash }, sessionStorage));
    } catch (error) {
      setFailure(String(error));
    }
  };
  if (!hasTried)
    return (
      <main id="main" class="sign-in panel">
        <h1>Levy console</h1>
        <p role="status">Opening your session …</p>
      </main>
    );
  return (
    <main id="main" class="sign-in panel">
      <h1>Levy console</h1>
      <p>Sales tax returns, transactions and certificates.</p>
      {issuer && (
        <button type="button" class="primary" onClick={() => void atIssuer(issuer)}>
          Sign in with your company’s account
        </button>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const apiKey = String(new FormData(event.currentTarget).get('key')).trim();
          if (isKey(apiKey)) open({ apiKey });
          else setFailure(noSuchKey);
        }}
      >
        <label class="field">
          <span>API key</span>
          <input name="key" class="masked" required autocomplete="off" spellcheck={false} autocapitalize="off" />
        </label>
        <button type="submit" class={issuer ? '' : 'primary'} disabled={isWaiting}>
          {isWaiting ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p role="alert" class={failure ? 'notice bad' : ''}>
        {failure}
      </p>
      <p class="hint">
        The operator of your Levy service gives you a key. The page exchanges it for a session and does not store it.
        The session ends when you sign out, after an hour without use, and after 12 hours. A key with the scope{' '}
        <code>read</code> shows everything and changes nothing.
      </p>
    </main>
  );
};
