/**
 * What the SDK loads for operations that stream events, of which DynamoDB has none.
 *
 * The bundles take this file instead: the real one would come along with all that it imports, and keep a third of the
 * SDK's core from being tree-shaken.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('No operation of DynamoDB streams events.');
  }
}
export const eventStreamSerdeProvider = (): never => {
  throw new Error('No operation of DynamoDB streams events.');
};
