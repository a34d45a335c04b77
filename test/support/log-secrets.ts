/** A vitest setup file: whatever a test sends through test/support/api.ts must not turn up in a log line. */
import { onExchange } from './api.ts';
import { secretsIn } from './log-leaks.ts';
import { keepSecret } from './log-watch.ts';

onExchange(({ request: { body, headers = {} } }) => {
  keepSecret(secretsIn(body));
  const credentials = Object.entries(headers).filter(([name]) =>
    /^(x-api-key|authorization|idempotency-key)$/i.test(name),
  );
  keepSecret(credentials.flatMap(([, value]) => value ?? []).filter((value) => value.length > 7));
});
