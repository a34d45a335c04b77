// Loaded at first use, which keeps it out of the cold start.
const zlib = () => process.getBuiltinModule('node:zlib');

/** Compress bytes with gzip, whose checksum detects a damaged attribute. */
export const compressBytes = (bytes: Uint8Array): Uint8Array => zlib().gzipSync(bytes);

/** The inverse of `compressBytes`. Throws if the bytes are damaged. */
export const decompressBytes = (bytes: Uint8Array): Buffer => zlib().gunzipSync(bytes);

export const compressText = (text: string): Uint8Array => compressBytes(Buffer.from(text));

/** The inverse of `compressText`. Throws if the bytes are damaged. */
export const decompressText = (bytes: Uint8Array): string => decompressBytes(bytes).toString();

export const compress = (value: unknown): Uint8Array => compressText(JSON.stringify(value));

/** The inverse of `compress`. Throws if the bytes are damaged. */
export const decompress = (bytes: Uint8Array): unknown => JSON.parse(decompressText(bytes));
