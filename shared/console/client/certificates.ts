import type { Schemas } from '../../client/client.ts';

type Certificate = Schemas['CertificateRequest'];

export const reasons = ['resale', 'government', 'nonprofit', 'direct_pay', 'other'] as const;

const isReason = (text: string): text is (typeof reasons)[number] => reasons.some((reason) => reason === text);

/** The option that removes a certificate. */
export const removed = 'remove';

type Found =
  | { readonly ok: true; readonly certificates: Certificate[] }
  | { readonly ok: false; readonly problem: string };

/** Reads the certificates from a form with numbered fields. Ignores empty fields. Refuses fields without a reason. */
export const certificatesFrom = (values: Readonly<Record<string, string>>, count: number): Found => {
  const certificates: Certificate[] = [];
  for (let at = 0; at < count; at++) {
    const value = (name: string) => values[`${name}-${at}`] ?? '';
    const reason = value('reason');
    if (isReason(reason)) {
      const states = value('states')
        .split(/[\s,;]+/)
        .filter(Boolean);
      certificates.push({
        reason,
        states: states.length > 0 ? states : null,
        certificate_number: value('number') || null,
        document_url: value('document') || null,
        valid_from: value('from') || null,
        valid_to: value('to') || null,
      });
    } else if (reason !== removed && ['number', 'document', 'states', 'from', 'to'].some((name) => value(name) !== ''))
      return { ok: false, problem: `Choose the reason of certificate ${at + 1}, or "Remove this certificate".` };
  }
  return { ok: true, certificates };
};
