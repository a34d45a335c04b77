import Stripe from 'stripe';
import { createClient } from '../../../shared/client/client.ts';
import { createLevyStripe } from '../index.ts';
import { createWebhook } from '../webhook.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
};

const stripe = new Stripe(setting('STRIPE_SECRET_KEY'));
const levy = createClient({ url: setting('LEVY_URL'), apiKey: setting('LEVY_API_KEY') });
export const billing = createLevyStripe({ stripe, levy });
export const webhook = createWebhook({ stripe, billing, secret: setting('STRIPE_WEBHOOK_SECRET') });
