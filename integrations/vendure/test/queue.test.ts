import { EventBus, Injector, JobQueueService, Logger, OrderPlacedEvent } from '@vendure/core';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { startRecording } from '../record.ts';

it('logs an unavailable job queue without stopping the server', async () => {
  const bus = new EventBus({} as never);
  const queue = { add: () => Promise.reject(new Error('The database is down.')) };
  const parts = new Map<unknown, unknown>([
    [EventBus, bus],
    [JobQueueService, { createQueue: async () => queue }],
  ]);
  const injector = new Injector({ get: (type: unknown) => parts.get(type) } as never);
  const logged = vi.spyOn(Logger, 'error').mockImplementation(() => undefined);
  const levy = createClient({ url: 'http://127.0.0.1:9', apiKey: 'levy_none' });
  await startRecording(injector, { levy, shop: 'vendure' });
  await bus.publish(new OrderPlacedEvent('ArrangingPayment', 'PaymentSettled', {} as never, { id: 7 } as never));
  await vi.waitFor(() => expect(logged).toHaveBeenCalledWith(expect.stringContaining('order 7'), 'LevyPlugin'));
});
