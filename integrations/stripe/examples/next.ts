/** A Next.js route handler: `app/api/stripe/route.ts`. */
import { webhook } from './setup.ts';

export const POST = async (request: Request): Promise<Response> => {
  const { status, body } = await webhook(await request.text(), request.headers.get('stripe-signature'));
  return new Response(body, { status });
};
