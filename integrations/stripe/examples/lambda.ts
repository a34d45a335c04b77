/** A Lambda function with a function URL. */
import { webhook } from './setup.ts';

type Request = {
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly headers: Readonly<Record<string, string | undefined>>;
};

export const handler = async ({ body = '', isBase64Encoded, headers }: Request) => {
  const raw = isBase64Encoded ? Buffer.from(body, 'base64') : body;
  const response = await webhook(raw, headers['stripe-signature']);
  return { statusCode: response.status, body: response.body };
};
