/**
 * The size limit for API responses that grow with the request. Lambda limits a response to 6,291,556 bytes; the rest is
 * reserved for metadata, a void reason and the history, which are added later.
 */
export const responseBytesMax = 6_000_000;

/**
 * Returns the size of a JSON text in a Lambda response. Lambda embeds it in a JSON string, so quotes and backslashes
 * are two bytes.
 */
export const responseBytes = (json: string): number => Buffer.byteLength(JSON.stringify(json));

// A character is at most three bytes, or two if JSON escapes it.
const bytesOfCharacterMax = 3;

/** Returns whether a JSON text is at most this many bytes in a response. Only long texts are measured. */
export const fitsBytes = (json: string, bytesMax: number): boolean =>
  json.length * bytesOfCharacterMax <= bytesMax || responseBytes(json) <= bytesMax;

/** Returns whether a response with this JSON text is within the limit. */
export const fitsResponse = (json: string): boolean => fitsBytes(json, responseBytesMax);
