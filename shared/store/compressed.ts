// Loaded when it is first used: an instance has found its caller by then.
const zlib = () => process.getBuiltinModule('node:zlib');

/** A value as gzipped JSON. The checksum in it tells a damaged attribute from a whole one. */
export const compress = (value: unknown): Uint8Array => zlib().gzipSync(JSON.stringify(value));

/** The value again; throws where the bytes are not what `compress` wrote. */
export const decompress = (bytes: Uint8Array): unknown => JSON.parse(zlib().gunzipSync(bytes).toString());
