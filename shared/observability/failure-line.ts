/** The loggable part of an error: its name and stack frames, without any client data. */
type FailureLine = { readonly error: string; readonly frames: readonly string[] };

const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,64}$/.test(text);

// The format of V8 stack frames. A message in the same format precedes the frames in `stack` and is cut off.
const frame = /^ {4}at (.* )?\(?[^\s()]+(:\d+){2}\)?$/;

const listFrames = ({ stack = '', message }: Error): string[] => {
  const after = stack.indexOf(message);
  // `stack` contains the original message. If `message` has changed, the frames cannot be separated from it.
  return after < 0
    ? []
    : stack
        .slice(after + message.length)
        .split('\n')
        .filter((line) => frame.test(line));
};

/**
 * The error that a handler throws. Lambda logs an error's message and all of its fields, and copies them to the
 * dead-letter queue.
 */
export const errorWithoutStack = (message: string): Error => {
  const error = new Error(message);
  delete error.stack;
  return error;
};

/**
 * Returns the name and stack frames of a thrown value.
 *
 * Omits the message, cause and fields: assertions quote customer data, and database errors contain the stored item.
 */
export const failureLine = (thrown: unknown): FailureLine =>
  thrown instanceof Error
    ? { error: isName(thrown.name) ? thrown.name : 'Error', frames: listFrames(thrown) }
    : { error: 'unknown', frames: [] };
