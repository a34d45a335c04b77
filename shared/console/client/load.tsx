import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import type { Data, Operation, PathOf } from '../../client/types.ts';
import { Button } from './parts.tsx';
import { getTrouble, type Trouble, useSession } from './session.ts';

/** Returns the data of an API call. Throws if the call is refused. */
export const readData = async <Value,>(call: Promise<Parameters<typeof orThrow<Value>>[0]>): Promise<Value> =>
  orThrow(await call);

export type Loaded<Value> = {
  /** The last value of the current key, even if a later attempt failed. */
  readonly value: Value | null;
  readonly trouble: Trouble | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

type Read<Value> = (levy: Levy, signal: AbortSignal) => Promise<Value>;

/**
 * Loads a value when `key` changes. Aborts a request that is no longer needed. Keeps the previous value while it
 * reloads.
 */
export const useLoad = <Value,>(key: string, read: Read<Value>): Loaded<Value> => {
  const { levy } = useSession();
  const [state, setState] = useState<{ key: string; value: Value | null; trouble: Trouble | null }>();
  const [round, setRound] = useState(0);
  const [isLoading, setLoading] = useState(true);
  // `key` identifies what `read` loads; `round` changes with each retry.
  useEffect(() => {
    const controller = new AbortController();
    const settle = (loaded: Value | null, trouble: Trouble | null) => {
      if (controller.signal.aborted) return;
      setState((last) => ({ key, value: loaded ?? (last?.key === key ? last.value : null), trouble }));
      setLoading(false);
    };
    setLoading(true);
    read(levy, controller.signal).then(
      (value) => settle(value, null),
      (error: unknown) => settle(null, getTrouble(error)),
    );
    return () => controller.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  const current = state?.key === key ? state : { value: null, trouble: null };
  return { ...current, isLoading: isLoading || state?.key !== key, reload };
};

const RetryButton = ({ after, retry }: { after: number; retry: () => void }) => {
  const [left, setLeft] = useState(after);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <button type="button" disabled={left > 0} onClick={retry}>
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </button>
  );
};

/** A message about a failed call, with what to do. An ended session is shown only once, at the top of the page. */
export const TroubleNotice = ({ trouble, retry }: { trouble: Trouble | null; retry?: () => void }) => {
  const { endSession } = useSession();
  const hasEnded = trouble?.kind === 'signed_out';
  useEffect(() => {
    if (hasEnded) endSession(trouble);
  }, [hasEnded, trouble, endSession]);
  if (hasEnded || !trouble) return null;
  return (
    <div class="notice bad" role="alert">
      <strong>{trouble.title}</strong>
      <p>{trouble.advice}</p>
      {trouble.kind === 'changed' && <Button onClick={() => location.reload()}>Load the page again</Button>}
      {retry && trouble.kind !== 'changed' && <RetryButton after={trouble.waitSeconds ?? 0} retry={retry} />}
    </div>
  );
};

type LoadProps<Value> = {
  /** The name of the loading data, such as `filings`. */
  readonly what: string;
  readonly children: (value: Value, reload: () => void) => ComponentChildren;
};

/** The loaded value, or the error. */
export const Load = <Value,>({ loaded, what, children }: LoadProps<Value> & { loaded: Loaded<Value> }) => {
  const { value, trouble, isLoading, reload } = loaded;
  // The link or button that triggered this may no longer exist.
  useEffect(() => {
    if (!isLoading && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [isLoading]);
  return (
    <div aria-busy={isLoading}>
      <p class={value === null ? 'progress' : 'unseen'} role="status">
        {isLoading ? `Loading ${what} …` : ''}
      </p>
      <TroubleNotice key={String(isLoading)} trouble={trouble} retry={reload} />
      {value !== null && children(value, reload)}
    </div>
  );
};

/** Loads a value, reloads it when `query` changes, and renders it. */
export const Fetch = <Value,>({
  query = '',
  read,
  ...shown
}: LoadProps<Value> & { query?: string; read: Read<Value> }) => <Load loaded={useLoad(query, read)} {...shown} />;

type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? Query : never;

type GetProps<Path extends PathOf<'get'>> = LoadProps<Data<Operation<Path, 'get'>>> & {
  readonly path: Path;
  readonly query?: QueryOf<Operation<Path, 'get'>>;
} & (Path extends `${string}{id}${string}` ? { readonly id: string } : { readonly id?: undefined });

/**
 * Reads a path of the API, reloads it when its parameters change, and renders the response. `id` is the id in the path.
 */
export const Get = <Path extends PathOf<'get'>>({ path, query, id, ...shown }: GetProps<Path>) => {
  const read = async (levy: Levy, signal: AbortSignal): Promise<Data<Operation<Path, 'get'>>> => {
    const get = levy.get as unknown as (path: string, input: object) => Promise<Parameters<typeof orThrow<never>>[0]>;
    return orThrow(await get(path, { query: query ?? {}, signal, ...(id !== undefined && { path: { id } }) }));
  };
  return <Load loaded={useLoad(JSON.stringify([path, query, id]), read)} {...shown} />;
};

type PagesProps<Page> = {
  readonly what: string;
  /** The first page, if already loaded; otherwise it is read with the cursor `null`. */
  readonly first?: Page;
  readonly read: (cursor: string | null, levy: Levy, signal: AbortSignal) => Promise<Page>;
  readonly getNext: (page: Page) => string | null;
  readonly children: (page: Page) => ComponentChildren;
};

/** A paged part of a resource. */
export const Pages = <Page,>({ what, first, read, getNext, children }: PagesProps<Page>) => {
  const [cursor, setCursor] = useState<string | null>(null);
  const show = (page: Page) => (
    <>
      {children(page)}
      {cursor !== null && <Button onClick={() => setCursor(null)}>First page of {what}</Button>}
      {getNext(page) && <Button onClick={() => setCursor(getNext(page))}>Next page of {what}</Button>}
    </>
  );
  if (cursor === null && first !== undefined) return show(first);
  return (
    <Fetch what={what} query={String(cursor)} read={(levy, signal) => read(cursor, levy, signal)}>
      {show}
    </Fetch>
  );
};
