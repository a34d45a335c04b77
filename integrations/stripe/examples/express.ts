/** An Express handler: `app.post('/stripe', express.raw({ type: 'application/json' }), onStripe)`. */
import { webhook } from './setup.ts';

type Request = { readonly body: Uint8Array; readonly get: (header: string) => string | undefined };
type Response = { status: (code: number) => Response; send: (body: string) => unknown };

export const onStripe = async (request: Request, response: Response): Promise<void> => {
  const { status, body } = await webhook(request.body, request.get('stripe-signature'));
  response.status(status).send(body);
};
