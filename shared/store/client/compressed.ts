// Loaded when it is first used: an instance has found its caller by then.
const zlib = () => process.getBuiltinModule('node:zlib');

/** Bytes, gzipped. The checksum in it tells a damaged attribute from a whole one. */
export const compressBytes = (bytes: Uint8Array): Uint8Array => zlib().gzipSync(bytes);

/** The bytes again; throws where they are not what `compressBytes` wrote. */
export const decompressBytes = (bytes: Uint8Array): Buffer => zlib().gunzipSync(bytes);

/** The same of text. */
export const compressText = (text: string): Uint8Array => compressBytes(Buffer.from(text));

/** The text again; throws where the bytes are not what `compressText` wrote. */
export const decompressText = (bytes: Uint8Array): string => decompressBytes(bytes).toString();

/** A value as gzipped JSON. */
export const compress = (value: unknown): Uint8Array => compressText(JSON.stringify(value));

/** The value again; throws where the bytes are not what `compress` wrote. */
export const decompress = (bytes: Uint8Array): unknown => JSON.parse(decompressText(bytes));
