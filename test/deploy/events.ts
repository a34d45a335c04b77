import { events } from '../../shared/events/event.ts';
import type { Emulator } from './emulator.ts';
import { eventually, holds, same } from './run.ts';
import type { Stack } from './stack.ts';

type Received = { readonly 'detail-type': string; readonly source: string; readonly detail: { event_id: string } };

/** A queue behind a rule on the stack's bus, like a consumer's. */
export const newConsumer = async ({ aws }: Emulator, stack: Stack) => {
  const EventBusName = stack.outputs['EventBus'];
  const name = `consumer-of-${stack.name}`;
  const { QueueUrl } = await aws('sqs', 'create_queue', { QueueName: name });
  const { Attributes } = await aws('sqs', 'get_queue_attributes', { QueueUrl, AttributeNames: ['QueueArn'] });
  const EventPattern = JSON.stringify({ source: ['levy'] });
  await aws('events', 'put_rule', { Name: name, EventBusName, EventPattern });
  await aws('events', 'put_targets', {
    Rule: name,
    EventBusName,
    Targets: [{ Id: 'queue', Arn: Attributes.QueueArn }],
  });
  const received = new Map<string, Received>();

  const receive = async (): Promise<void> => {
    for (let batch = 0; batch < 20; batch++) {
      const { Messages = [] } = await aws('sqs', 'receive_message', { QueueUrl, MaxNumberOfMessages: 10 });
      if (Messages.length === 0) return;
      for (const { Body, ReceiptHandle } of Messages) {
        const event: Received = JSON.parse(Body);
        received.set(event.detail.event_id, event);
        await aws('sqs', 'delete_message', { QueueUrl, ReceiptHandle });
      }
    }
  };

  return {
    /** Waits for exactly these numbers of events of each type of an account; each must match its published schema. */
    expectEvents: (account: string, expected: Readonly<Record<string, number>>): Promise<string> => {
      const counted = () => {
        const types = [...received.values()].flatMap(({ detail, 'detail-type': type }) =>
          'account' in detail && detail.account === account ? type : [],
        );
        return Object.fromEntries(
          Object.keys(expected).map((type) => [type, types.filter((one) => one === type).length]),
        );
      };
      return eventually(`the events ${JSON.stringify(expected)}`, 120, async () => {
        await receive();
        return JSON.stringify(counted()) === JSON.stringify(expected) ? expected : null;
      })
        .catch((error) => {
          error.message += `; received ${JSON.stringify(counted())}`;
          throw error;
        })
        .then(() => {
          for (const { detail, 'detail-type': type, source } of received.values()) {
            same('the source', source, 'levy');
            holds(Object.hasOwn(events, type), `the event type ${type} is unknown`);
            events[type as keyof typeof events].parse(detail);
          }
          return `${received.size} events fit their schemas`;
        });
    },
    remove: async (): Promise<void> => {
      await aws('events', 'remove_targets', { Rule: name, EventBusName, Ids: ['queue'] });
      await aws('events', 'delete_rule', { Name: name, EventBusName });
      await aws('sqs', 'delete_queue', { QueueUrl });
    },
  };
};

/** Counts the messages in a stack's dead-letter queues: of the pipe, the stream's consumer and the schedules. */
export const deadLetters = async ({ aws }: Emulator, stack: Stack): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const queue of ['UntoldEvents', 'UncountedTransactions', 'FailedRuns']) {
    const AttributeNames = ['ApproximateNumberOfMessages'];
    const { Attributes } = await aws('sqs', 'get_queue_attributes', { QueueUrl: stack.getId(queue), AttributeNames });
    counts[queue] = Number(Attributes.ApproximateNumberOfMessages);
  }
  return counts;
};
