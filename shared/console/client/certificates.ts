import type { Schemas } from '../../client/client.ts';
import { groupValues, splitList, type Values } from './forms.ts';

type Certificate = Schemas['CertificateRequest'];

export const reasons = ['resale', 'government', 'nonprofit', 'direct_pay', 'other'] as const;

const isReason = (text: string): text is (typeof reasons)[number] => reasons.some((reason) => reason === text);

/** The option that removes a certificate. */
export const removed = 'remove';

/**
 * Reads the certificates from the groups of a form, whose fields have the names of the API. Ignores empty groups.
 * Returns the problem of a group without a reason.
 */
export const certificatesFrom = (values: Values): Certificate[] | string => {
  const certificates: Certificate[] = [];
  for (const [at, { reason = '', states, ...texts }] of groupValues(values).entries()) {
    if (reason === removed || ![reason, states, ...Object.values(texts)].some(Boolean)) continue;
    if (!isReason(reason)) return `Choose the reason of certificate ${at + 1}, or "Remove this certificate".`;
    const optional = Object.entries(texts).map(([name, text]) => [name, text || null]);
    certificates.push({ reason, states: states ? splitList(states) : null, ...Object.fromEntries(optional) });
  }
  return certificates;
};
