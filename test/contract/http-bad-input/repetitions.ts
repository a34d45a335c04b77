import { sentJson } from './judge.ts';
import { operations } from './operations.ts';
import type { WireRequest } from './requests.ts';
import type { Refusing, WireAnswer } from './service.ts';

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

const takingKeys = new Set(
  operations
    .filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'))
    .map(({ name }) => name),
);

type First = { readonly body: string; readonly text: string };

/** The answers by Idempotency-Key: the same key and body must be answered the same, and another body refused. */
export class Repetitions {
  readonly #firsts = new Map<string, First>();

  /** The problems of an answer, compared with the answers before it. */
  readonly judge = (
    request: WireRequest,
    { resource, status, headers, text, body, path, writes }: WireAnswer,
  ): string[] => {
    // Requests that write nothing ignore an idempotency key.
    if (!takingKeys.has(resource?.operation ?? '')) return [];
    const keys = request.headers.filter(([name]) => name.toLowerCase() === 'idempotency-key');
    const isReplayed = headers.get('Idempotent-Replayed') === 'true';
    const name = `${request.method} ${path} ${keys[0]?.[1]}`;
    const first = keys.length > 0 ? this.#firsts.get(name) : undefined;
    const code = (body as Refusing)?.errors?.[0]?.code;
    if (code === 'idempotency_key_reused')
      return first && first.body !== canonical(sentJson(request))
        ? []
        : ['a key is refused that was not used for another body'];
    if (status >= 300) return isReplayed ? ['a refusal says that it is a repetition'] : [];
    // A dry run stores nothing, not even its key.
    const isDryRun = (sentJson(request) as { dry_run?: unknown }).dry_run === true;
    if (!first && isDryRun) return isReplayed ? ['a dry run says that it is a repetition'] : [];
    if (!first) {
      if (isReplayed) return ['it says that it is a repetition, and is none'];
      if (keys.length > 0 && request.method === 'POST')
        this.#firsts.set(name, { body: canonical(sentJson(request)), text });
      return [];
    }
    if (first.body !== canonical(sentJson(request))) return ['another body was accepted under the same key'];
    if (!isReplayed) return ['a repetition is answered as if it were none'];
    if (first.text !== text) return ['a repetition is answered otherwise'];
    return writes > 0 ? ['a repetition wrote to the ledger'] : [];
  };
}
