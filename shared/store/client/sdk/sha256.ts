import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

type Bytes = string | ArrayBuffer | ArrayBufferView;

const bytesOf = (data: Bytes): Buffer => {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
};

/**
 * The hash that the SDK signs with, from Node itself.
 *
 * The SDK's own does the same, and brings an implementation in JavaScript for runtimes that have none.
 */
export class Sha256 {
  readonly digestLength = 32;
  readonly #secret: Bytes | undefined;
  #hash: Hash | Hmac;
  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#hash = this.#fresh();
  }
  update(data: Bytes): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }
  reset(): void {
    this.#hash = this.#fresh();
  }
  #fresh(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.#secret));
  }
}
