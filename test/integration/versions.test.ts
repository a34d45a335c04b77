import { expect, it } from 'vitest';
import { supportedVersions } from '../../shared/api/versions.ts';
import { newCaller } from '../support/api.ts';
import { refusalOf, sale } from '../support/sales.ts';

const [current = ''] = supportedVersions;
const as = (version: string | readonly string[]) => ({ 'Service-Version': version });

it("responds in the account's version, or in the requested version", async () => {
  const { call } = await newCaller();
  for (const headers of [{}, as(current)]) {
    const answer = await call('POST', '/calculations', { body: sale(), headers });
    expect([answer.status, answer.headers.get('service-version')]).toEqual([200, current]);
    expect(answer.headers.get('vary')).toBe('Service-Version');
  }
});

it.each([['dogwood.2028-01-01'], ['aspen'], [''], [[current, current]]])(
  'rejects the version "%s" and lists the supported ones',
  async (sent) => {
    const { call } = await newCaller();
    const answer = await call('POST', '/calculations', { body: sale(), headers: as(sent) });
    expect(refusalOf(answer)).toBe('422 | validation_unknown_service_version Service-Version');
    const { errors } = answer.body as unknown as { errors: { meta: object }[] };
    expect(errors[0]?.meta).toMatchObject({ supported_versions: supportedVersions });
    expect(answer.headers.get('service-version')).toBe(current);
  },
);

it('replays the response to the same request with and without the header', async () => {
  const { call } = await newCaller();
  const request = { body: sale(), headers: { 'Idempotency-Key': 'k' } };
  const first = await call('POST', '/transactions', request);
  const again = await call('POST', '/transactions', { ...request, headers: { ...request.headers, ...as(current) } });
  expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
});
