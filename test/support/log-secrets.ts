/** A vitest setup file: no secret that a test sends through test/support/http.ts may appear in a log line. */
import { onSend } from './http.ts';
import { secretsIn } from './log-leaks.ts';
import { keepSecret } from './log-watch.ts';

onSend(({ body, headers = {} }) => {
  keepSecret(secretsIn(body));
  const credentials = Object.entries(headers).filter(([name]) =>
    /^(x-api-key|authorization|idempotency-key)$/i.test(name),
  );
  keepSecret(credentials.flatMap(([, value]) => value ?? []).filter((value) => value.length > 7));
});
