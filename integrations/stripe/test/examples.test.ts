import Stripe from 'stripe';
import { beforeAll, expect, it, vi } from 'vitest';

const secret = 'whsec_test';
// An event of another product changes nothing and sends no request.
const payload = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'customer.created',
  data: { object: { id: 'cus_1' } },
});
const sign = (seconds: number) =>
  new Stripe('sk_test_1').webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: Math.floor(Date.now() / 1000) - seconds,
  });

beforeAll(() => {
  const settings = {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: secret,
    LEVY_URL: 'http://127.0.0.1:9',
    LEVY_API_KEY: 'levy_test',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});

/** Calls each example with a signature. Returns the status of the response. */
const examples: Record<string, (signature: string) => Promise<number>> = {
  lambda: async (signature) => {
    const { handler } = await import('../examples/lambda.ts');
    const body = Buffer.from(payload).toString('base64');
    return (await handler({ body, isBase64Encoded: true, headers: { 'stripe-signature': signature } })).statusCode;
  },
  next: async (signature) => {
    const { POST } = await import('../examples/next.ts');
    const headers = { 'Stripe-Signature': signature };
    return (await POST(new Request('https://shop.example/api/stripe', { method: 'POST', body: payload, headers })))
      .status;
  },
  express: async (signature) => {
    const { onStripe } = await import('../examples/express.ts');
    const codes: number[] = [];
    const response = {
      status: (code: number) => {
        codes.push(code);
        return response;
      },
      send: () => undefined,
    };
    await onStripe({ body: Buffer.from(payload), get: () => signature }, response);
    return codes[0] as number;
  },
};

it.each(Object.entries(examples))('accepts only a signed event in %s', async (_, getStatus) => {
  expect(await getStatus(sign(0))).toBe(200);
  expect(await getStatus(sign(600))).toBe(400);
  expect(await getStatus(sign(0).replace(/v1=..../, 'v1=0000'))).toBe(400);
  expect(await getStatus('')).toBe(400);
});
