import type { Schemas } from '../../client/client.ts';

type Certificate = Schemas['CertificateRequest'];

export const reasons = ['resale', 'government', 'nonprofit', 'direct_pay', 'other'] as const;

const isReason = (text: string): text is (typeof reasons)[number] => reasons.some((reason) => reason === text);

/** The certificates of a form with numbered fields. One without a reason is left out, which removes it. */
export const certificatesFrom = (values: Readonly<Record<string, string>>, count: number): Certificate[] =>
  Array.from({ length: count }, (_, at) => (name: string) => values[`${name}-${at}`] ?? '').flatMap((value) => {
    const reason = value('reason');
    if (!isReason(reason)) return [];
    const states = value('states')
      .split(/[\s,;]+/)
      .filter(Boolean);
    return [
      {
        reason,
        states: states.length > 0 ? states : null,
        certificate_number: value('number') || null,
        valid_from: value('from') || null,
        valid_to: value('to') || null,
      },
    ];
  });
