import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';
import type { Idempotency } from '../ledger/ports.ts';
import { Refusal, type RequestContext } from './request-context.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Returns the digest and fingerprint that identify a retry, or `null` without an Idempotency-Key.
 *
 * The digest covers the method, the path and the key; the fingerprint covers the body and the resolved version.
 */
export const readIdempotency = ({ headers, method, path, body, version }: RequestContext): Idempotency | null => {
  const keys = headers.get('idempotency-key');
  if (!keys) return null;
  const [key = ''] = keys;
  if (keys.length > 1 || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw new Refusal([
      {
        code: 'validation_invalid_format',
        title: 'Invalid Idempotency-Key',
        detail: 'Send one key of 1 to 255 printable ASCII characters.',
        source: { header: 'Idempotency-Key' },
      },
    ]);
  return { digest: sha256(`${method}\n${path}\n${key}`), fingerprint: sha256(`${version}\n${canonicalJson(body)}`) };
};
