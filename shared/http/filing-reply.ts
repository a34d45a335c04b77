import { unknownFieldWarnings } from '../calculations/warnings.ts';
import { entriesCsv, totalsCsv } from '../filings/csv.ts';
import type { Filing } from '../filings/response.ts';
import type { Answered } from '../transactions/ports.ts';
import type { Exchange } from './exchange.ts';
import { replyOfAnswer } from './idempotency.ts';
import type { Reply } from './reply.ts';

type Range = { readonly type: string; readonly quality: number };

const quality = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** The media ranges of `Accept`. Parameters other than `q` are ignored: no type is offered in two forms. */
const rangesOf = (accept: readonly string[]): Range[] =>
  accept
    .join(',')
    .split(',')
    .flatMap((text) => {
      const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '') ?? '1';
      // Ignore a range that does not parse.
      return /^[^\s/]+\/[^\s/]+$/.test(type) && quality.test(weight) ? [{ type, quality: Number(weight) }] : [];
    });

/** How exactly a range matches a type: 2 for the full type, 1 for its main type, 0 for any type, -1 for no match. */
const exactness = (range: string, type: string): number => ['*/*', `${type.split('/')[0]}/*`, type].indexOf(range);

/**
 * The offered media type that `Accept` prefers (RFC 9110, 12.5.1).
 *
 * The most exact range gives a type its quality. Ties go to the type that is named more exactly, then to the one offered
 * first. If nothing matches, the first offered type is returned: the API has no 406.
 */
export const preferredType = <Type extends string>(
  accept: readonly string[],
  offered: readonly [Type, ...Type[]],
): Type => {
  const ranges = rangesOf(accept);
  const rated = offered.map((type) => {
    const matching = ranges.map((range) => ({ ...range, exactness: exactness(range.type, type) }));
    const most = Math.max(-1, ...matching.map((range) => range.exactness));
    const qualities = matching.filter((range) => range.exactness === most && most >= 0).map((range) => range.quality);
    return { type, exactness: most, quality: Math.max(0, ...qualities) };
  });
  const [best] = rated
    .filter((type) => type.quality > 0)
    .toSorted((a, b) => b.quality - a.quality || b.exactness - a.exactness);
  return best?.type ?? offered[0];
};

// Relative to the URL of the request, because functions do not know the stage that precedes the deployed path.
const nextPage = (cursor: string, limit: number): string =>
  `<?${new URLSearchParams({ expand: 'entries', limit: String(limit), starting_after: cursor })}>; rel="next"`;

const csvReply = (filing: Filing, limit: number): Reply => {
  const { state, period_end, status, entries } = filing;
  const name = [state, period_end, status, ...(entries ? ['entries'] : [])].join('_');
  return {
    status: 200,
    body: entries ? entriesCsv(filing) : totalsCsv(filing),
    // The first line of the file names its columns, which are the same in every version.
    isShaped: true,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${name}.csv"`,
      ...(entries?.next_cursor && { Link: nextPage(entries.next_cursor, limit) }),
    },
  };
};

/** A filing as JSON or CSV, as `Accept` prefers. The CSV has the totals, or the entries if they are expanded. */
export const filingReply = (filing: Filing, limit: number, { headers }: Exchange): Reply => {
  const type = preferredType(headers.get('accept') ?? [], ['application/json', 'text/csv']);
  const reply = type === 'text/csv' ? csvReply(filing, limit) : { status: 200, body: filing };
  return { ...reply, headers: { ...reply.headers, Vary: 'Accept, Service-Version' } };
};

/**
 * The reply to a request that changed a filing or found it unchanged, with a warning for each unknown field.
 *
 * A replayed request has the same body, and so the same unknown fields and the same reply.
 */
export const changedFilingReply = (answered: Answered, unknownFields: readonly string[]): Reply => {
  const reply = replyOfAnswer(answered);
  if (unknownFields.length === 0) return reply;
  const filing: Filing = JSON.parse(answered.answer.body);
  return { ...reply, body: { ...filing, warnings: [...filing.warnings, ...unknownFieldWarnings(unknownFields)] } };
};
