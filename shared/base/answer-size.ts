/**
 * The most bytes of a response of the API that may grow with a request. Lambda limits a response to 6,291,556 bytes. The rest
 * is room for metadata, a void reason and the history, which come later.
 */
export const answerBytesMax = 6_000_000;

/** The bytes that a JSON text takes in a response of Lambda, which has it as a JSON string: quotes and backslashes take two. */
export const answerBytes = (json: string): number => Buffer.byteLength(JSON.stringify(json));

// A character takes at most three bytes, or two where JSON escapes it.
const bytesOfCharacterMax = 3;

/** Whether a JSON text takes at most so many bytes in a response. Only a long text is measured. */
export const fitsBytes = (json: string, bytesMax: number): boolean =>
  json.length * bytesOfCharacterMax <= bytesMax || answerBytes(json) <= bytesMax;

/** Whether a response with this JSON text is small enough. */
export const fitsAnswer = (json: string): boolean => fitsBytes(json, answerBytesMax);
