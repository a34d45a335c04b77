import type { Answer, Request } from './http.ts';

type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly request: Request;
  readonly answer: Answer;
};
type Listener = (exchange: Exchange) => void | Promise<void>;

// A global symbol, so the listeners survive a module reset in a test file.
const key = Symbol.for('levy exchange listeners');
const shared = globalThis as { [key]?: Set<Listener> };
shared[key] ??= new Set();
const listeners = shared[key];

/** Adds a listener for each response of the API in this process. Returns a function that removes it. */
export const onExchange = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Passes a response to the listeners. A listener that throws fails the test. */
export const exchanged = async (exchange: Exchange): Promise<void> => {
  for (const listener of listeners) await listener(exchange);
};
