/** The loggable part of an error: its name and stack frames, and no data that a client sent. */
type FailureLine = { readonly error: string; readonly frames: readonly string[] };

const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,64}$/.test(text);

// V8's format. A message in the same format precedes the frames in `stack` and is cut off.
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

/** An error that a handler throws. Lambda logs its message and all its fields, and copies them to the dead-letter queue. */
export const errorWithoutStack = (message: string): Error => {
  const error = new Error(message);
  delete error.stack;
  return error;
};

/**
 * The name and stack frames of a thrown value.
 *
 * The message, the cause and the fields stay out of the log: assertions quote customer data, and errors of the database
 * contain the stored item.
 */
export const failureLine = (thrown: unknown): FailureLine =>
  thrown instanceof Error
    ? { error: isName(thrown.name) ? thrown.name : 'Error', frames: listFrames(thrown) }
    : { error: 'unknown', frames: [] };
