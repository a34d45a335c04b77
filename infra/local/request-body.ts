import type { IncomingMessage } from 'node:http';

/** The limit of API Gateway (Amazon API Gateway quotas). */
const bodyLimitBytes = 10 * 1024 * 1024;

/**
 * The request's body, or `null` for one over the limit. Throws when the client hangs up.
 *
 * The rest of a body over the limit is read and dropped: a client that is still sending could miss the response.
 */
export const readBody = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bodyLimitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= bodyLimitBytes ? Buffer.concat(chunks) : null;
};
