/** What a log line may say of an error: what it is called and where it came from, nothing that a client sent. */
export type FailureLine = { readonly error: string; readonly frames: readonly string[] };

const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,64}$/.test(text);

// As V8 writes them. A message that looks like one comes before them in the stack, and is cut off.
const frame = /^ {4}at (.* )?\(?[^\s()]+(:\d+){2}\)?$/;

const framesOf = ({ stack = '', message }: Error): string[] => {
  const after = stack.indexOf(message);
  // A message that was changed since then is not in its stack, and the old one may be anything.
  return after < 0
    ? []
    : stack
        .slice(after + message.length)
        .split('\n')
        .filter((line) => frame.test(line));
};

/**
 * What is logged of anything that was thrown: the error's name and the frames of its stack.
 *
 * Never the message, the cause or a field: an assertion's may quote what a customer sent, and the database's hold the
 * stored item.
 */
export const failureLine = (thrown: unknown): FailureLine =>
  thrown instanceof Error
    ? { error: isName(thrown.name) ? thrown.name : 'Error', frames: framesOf(thrown) }
    : { error: 'unknown', frames: [] };
