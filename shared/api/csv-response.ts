import { unknownFieldWarnings } from '../calculations/sent-warnings.ts';
import { csvName, entriesCsv, totalsCsv } from '../filings/csv.ts';
import type { Filing, FilingWithTotals } from '../filings/response.ts';
import type { SavedResponse } from '../ledger/ports.ts';
import { type FilingReturn, returnHash, returnName } from '../returns/electronic-return.ts';
import { worksheetCsv } from '../returns/worksheet.ts';
import type { RequestContext } from './request-context.ts';
import type { EndpointResponse } from './response.ts';

type Range = { readonly type: string; readonly quality: number };

const quality = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** The media ranges of `Accept`. Parameters other than `q` are ignored, because no type is offered in two forms. */
const parseRanges = (accept: readonly string[]): Range[] =>
  accept
    .join(',')
    .split(',')
    .flatMap((text) => {
      const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '') ?? '1';
      // Ignore a range that does not parse.
      return /^[^\s/]+\/[^\s/]+$/.test(type) && quality.test(weight) ? [{ type, quality: Number(weight) }] : [];
    });

/** Returns the specificity of a match: 2 for the full type, 1 for the main type, 0 for any type, -1 for no match. */
const exactness = (range: string, type: string): number => ['*/*', `${type.split('/')[0]}/*`, type].indexOf(range);

/**
 * Returns the offered media type that `Accept` prefers (RFC 9110, 12.5.1). The most specific matching range determines
 * a type's quality. Ties go to the type with the more specific range, then to the first one offered. If nothing
 * matches, it returns the first offered type, because the API has no 406.
 */
export const preferredType = <Type extends string>(
  accept: readonly string[],
  offered: readonly [Type, ...Type[]],
): Type => {
  const ranges = parseRanges(accept);
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

/** A CSV file: its name without the extension, its text, and the query of the next page, if any. */
type Csv = { readonly name: string; readonly text: string; readonly next: Readonly<Record<string, string>> | null };

const csvResponse = ({ name, text, next }: Csv): EndpointResponse => ({
  status: 200,
  body: text,
  // The first line is a header; its columns are the same in every version.
  headers: {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    // Relative to the request URL, because the function does not receive the stage prefix of the deployed path.
    ...(next && { Link: `<?${new URLSearchParams(next)}>; rel="next"` }),
  },
});

/** Responds with JSON or with the CSV file of `csv`, depending on the `Accept` header. */
export const jsonOrCsv = (body: object, { headers }: RequestContext, csv: () => Csv): EndpointResponse => {
  const isCsv = preferredType(headers.get('accept') ?? [], ['application/json', 'text/csv']) === 'text/csv';
  const response: EndpointResponse = isCsv ? csvResponse(csv()) : { status: 200, body };
  return { ...response, headers: { ...response.headers, Vary: 'Accept, Service-Version' } };
};

/**
 * Responds with a filing as JSON or CSV, depending on `Accept`. The CSV contains the totals, or the entries if they are
 * expanded.
 */
export const filingOrCsv = (filing: FilingWithTotals, limit: number, context: RequestContext): EndpointResponse =>
  jsonOrCsv(filing, context, () => {
    const { entries, totals_next_cursor, worksheet } = filing;
    if (worksheet)
      return {
        name: [worksheet.form, filing.period_end, filing.status].join('_'),
        text: worksheetCsv(worksheet),
        next: null,
      };
    if (!entries)
      return {
        name: csvName(filing, 'totals'),
        text: totalsCsv(filing),
        next: totals_next_cursor ? { totals_starting_after: totals_next_cursor } : null,
      };
    const { data, next_cursor } = entries;
    return {
      name: csvName(filing, 'entries'),
      text: entriesCsv(filing, data),
      next: next_cursor ? { expand: 'entries', limit: String(limit), starting_after: next_cursor } : null,
    };
  });

/** Adds a warning for each unknown field of the request. */
export const withUnknownFieldWarnings = <Warned extends Filing>(
  filing: Warned,
  unknownFields: readonly string[],
): Warned => ({
  ...filing,
  warnings: [...filing.warnings, ...unknownFieldWarnings(unknownFields)],
});

/** Whether `Accept` prefers the electronic return of a filing to its other forms. */
export const prefersReturn = ({ headers }: RequestContext): boolean =>
  preferredType(headers.get('accept') ?? [], ['application/json', 'text/csv', 'application/xml']) === 'application/xml';

/** Responds with the electronic return of a filing as a file. Its hash is in the name and in `ETag`. */
export const electronicReturnResponse = (electronic: FilingReturn): EndpointResponse => ({
  status: 200,
  body: electronic.xml,
  headers: {
    'Content-Type': 'application/xml',
    'Content-Disposition': `attachment; filename="${returnName(electronic)}"`,
    ETag: `"${returnHash(electronic)}"`,
    Vary: 'Accept, Service-Version',
  },
});

/**
 * Responds to a request that changed a filing or found nothing to change, with a warning for each unknown field. A
 * replayed request has the same body, so it gets the same warnings.
 */
export const changedFilingResponse = (response: SavedResponse, unknownFields: readonly string[]): EndpointResponse =>
  unknownFields.length === 0
    ? response
    : { ...response, body: withUnknownFieldWarnings(JSON.parse(response.body), unknownFields) };
