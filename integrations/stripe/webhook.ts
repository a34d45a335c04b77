import Stripe from 'stripe';
import type { LevyStripe } from './index.ts';

export type WebhookOptions = {
  readonly stripe: Stripe;
  readonly billing: LevyStripe;
  /** The signing secret of the endpoint, `whsec_…`. */
  readonly secret: string;
  /** Receives the problems of an event, which need manual action. Default: one line of JSON in the log. */
  readonly report?: (problems: readonly object[]) => void;
};
export type WebhookResponse = { readonly status: 200 | 400 | 500; readonly body: string };

const log = (problems: readonly object[]): void => {
  for (const problem of problems) console.error(JSON.stringify({ message: 'Levy and Stripe differ', ...problem }));
};

/**
 * Creates the handler of Stripe's webhook. It receives the raw body, as Stripe signed it, and the header
 * `Stripe-Signature`. Responds 400 for a signature that is invalid or older than five minutes, and 500 during an
 * outage, so Stripe sends the event again.
 */
export const createWebhook =
  ({ stripe, billing, secret, report = log }: WebhookOptions) =>
  async (rawBody: string | Uint8Array, signature: string | null | undefined): Promise<WebhookResponse> => {
    try {
      const event = await stripe.webhooks.constructEventAsync(rawBody, signature ?? '', secret);
      const { problems } = await billing.handleEvent(event);
      if (problems.length > 0) report(problems);
      return { status: 200, body: 'ok' };
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError)
        return { status: 400, body: 'Invalid signature: send the raw body and the header Stripe-Signature.' };
      console.error(error);
      return { status: 500, body: 'The event could not be handled. Send it again.' };
    }
  };
