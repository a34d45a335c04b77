import { describe, expect, it } from 'vitest';
import { anonymous, newCaller } from '../support/api.ts';
import { closedFiling, file, filerOf, settled, soldOn } from '../support/filings.ts';
import type { Request } from '../support/http.ts';
import { made, refusalOf } from '../support/sales.ts';

const unknown = 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const malformed = '{"state": ';
type Fault = { readonly headers?: Record<string, string | null>; readonly body?: unknown; readonly rawBody?: string };

describe('the order of refusals', () => {
  const paths = [
    {
      path: '/filings',
      body: { period_end: 'soon', state: 'ZZ' },
      fields: '422 | validation_invalid_format /period_end | validation_invalid_format /state',
    },
    {
      path: `/filings/${unknown}`,
      body: { confirmation_number: '', status: 'paid' },
      fields: '422 | validation_invalid_format /confirmation_number | validation_invalid_format /status',
    },
  ];
  const faultsOf = ({ body, fields }: (typeof paths)[number]): (Fault & { refusal: string; who?: string })[] => [
    { who: 'nobody', refusal: '401 | auth_error X-API-Key' },
    { who: 'reader', refusal: '403 | auth_forbidden' },
    { who: 'limited', refusal: '429 | rate_limit_error' },
    { headers: { 'Content-Type': 'text/csv' }, refusal: '415 | validation_unsupported_media_type Content-Type' },
    { rawBody: malformed.padEnd(1024 * 1024 + 1, ' '), refusal: '413 | validation_body_too_large' },
    { rawBody: malformed, refusal: '400 | validation_malformed_json' },
    {
      headers: { 'Service-Version': 'birch.2027-01-01' },
      refusal: '422 | validation_unknown_service_version Service-Version',
    },
    { body, refusal: fields },
  ];

  it.each(paths)('POST $path', async (path) => {
    const [writer, reader, limited] = await Promise.all([
      newCaller(),
      newCaller({ scopes: ['read'], settings: { rate_limit: 0 } }),
      newCaller({ settings: { rate_limit: 0 } }),
    ]);
    const faults = faultsOf(path);
    // Each fault with all that come after it; the first one answers.
    for (const [index, { refusal }] of faults.entries()) {
      const present = faults.slice(index);
      const who = present.find((fault) => fault.who)?.who ?? 'writer';
      const caller = { nobody: anonymous, reader, limited, writer }[who] ?? writer;
      const sent = present.find(({ body, rawBody }) => body !== undefined || rawBody !== undefined);
      const request: Request = {
        ...(sent?.rawBody === undefined ? { body: sent?.body } : { rawBody: sent.rawBody }),
        headers: Object.assign(
          { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
          ...present.map(({ headers = {} }) => headers),
        ),
      };
      expect(refusalOf(await caller.call('POST', path.path, request))).toBe(refusal);
    }
  });

  it('fields come before 404, and 404 before 409 and before a cursor', async () => {
    const filer = filerOf(await newCaller());
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    expect(refusalOf(await filer.change(unknown, { status: 'paid' }))).toBe('422 | validation_invalid_format /status');
    expect(refusalOf(await filer.change(unknown, { status: 'closing' }))).toBe('404 | not_found');
    expect(refusalOf(await filer.change(id, { status: 'closing' }))).toBe(
      '409 | conflict_invalid_status_transition /status',
    );
    const page = { expand: 'entries', starting_after: 'x.y' };
    expect(refusalOf(await filer.filing(unknown, { ...page, limit: '0' }))).toBe(
      '422 | validation_invalid_format limit',
    );
    expect(refusalOf(await filer.filing(unknown, page))).toBe('404 | not_found');
    expect(refusalOf(await filer.filing(id, page))).toBe('422 | validation_invalid_cursor starting_after');
  });

  it('an invalid period comes before one that is not over, which comes before the order', async () => {
    const filer = filerOf(await newCaller());
    await soldOn(filer, '2026-08-05');
    const close = (period_end: string) => filer.close({ state: 'MI', period_end });
    expect(refusalOf(await close('2999-12-30'))).toBe('422 | validation_invalid_format /period_end');
    expect(refusalOf(await close('2999-12-31'))).toBe('409 | conflict_period_not_over /period_end');
    expect(refusalOf(await close('2026-10-31'))).toBe('409 | conflict_period_order /period_end');
  });

  it('a replay comes before 409, and after the fields', async () => {
    const filer = filerOf(await newCaller());
    await soldOn(filer, '2026-10-05');
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    const key = { 'Idempotency-Key': 'k' };
    const cancel = await filer.change(id, { status: 'canceled' }, key);
    await settled(filer, id);
    expect(refusalOf(await filer.change(id, { status: 'canceled', confirmation_number: 'x' }, key))).toBe(
      '422 | validation_invalid_format /confirmation_number',
    );
    expect(refusalOf(await filer.change(id, { status: 'filed', confirmation_number: 'x' }, key))).toBe(
      '422 | idempotency_key_reused Idempotency-Key',
    );
    expect((await filer.change(id, { status: 'canceled' }, key)).text).toBe(cancel.text);
  });
});

describe('unknown fields', () => {
  const october = { state: 'MI', period_end: '2026-10-31' };

  it('are ignored with a warning, the same one when the request comes again', async () => {
    const filer = filerOf(await newCaller());
    const key = { 'Idempotency-Key': 'k' };
    const first = await filer.close({ ...october, frequency: 'month', colour: 'red' }, key);
    // The frequency is a field of the answer: it may come back.
    expect(first.body.warnings).toEqual([expect.objectContaining({ code: 'unknown_field', pointer: '/colour' })]);
    await settled(filer, first.body.id);
    const again = await filer.close({ ...october, frequency: 'month', colour: 'red' }, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await made(filer.filing(first.body.id))).warnings).toEqual([]);
  });

  it('are refused where the client is strict', async () => {
    const filer = filerOf(await newCaller());
    const answer = await filer.close({ ...october, colour: 'red' }, { Prefer: 'handling=strict' });
    expect(refusalOf(answer)).toBe('422 | validation_unknown_field /colour');
    expect((await made(filer.filings())).data).toEqual([]);
  });

  it('are none in a filing that is sent back to mark it as filed', async () => {
    const filer = filerOf(await newCaller());
    const filing = await closedFiling(filer, 'MI', '2026-10-31');
    const sent = { ...filing, status: 'filed', confirmation_number: 'c' };
    const answer = await filer.change(filing.id, sent, { Prefer: 'handling=strict' });
    expect([answer.status < 300, answer.body.warnings]).toEqual([true, []]);
    expect((await file(filer, filing.id, 'c')).status).toBe('filed');
  });
});
