import type { Schemas } from '../../client/client.ts';

/** The values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** Returns the trimmed values of a form. */
export const getFormValues = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

/** Returns the values of numbered groups of fields: `state-0` is the `state` of the first group. */
export const groupValues = (values: Values): readonly Values[] => {
  const groups: Values[] = [];
  for (const [name, value] of Object.entries(values)) {
    const [, field, at] = /^(.+)-(\d+)$/.exec(name) ?? [];
    if (field) groups[Number(at)] = { ...groups[Number(at)], [field]: value };
  }
  return groups;
};

/** Returns the words of a text that are separated by commas, semicolons or spaces. */
export const splitList = (text = ''): string[] => text.split(/[\s,;]+/).filter(Boolean);

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
    const listed = splitList(states);
    certificates.push({ reason, states: listed.length > 0 ? listed : null, ...Object.fromEntries(optional) });
  }
  return certificates;
};
