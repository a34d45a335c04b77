/** HTTP requests to the publishers of rate files: retries, limits, conditional and resumed downloads. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pauseBefore, realTime } from '../../backoff.ts';
import { firstBytes } from '../imports/files/open-file.ts';

/** The version headers of a file. An absent header is `null`. */
export type FileVersion = { readonly etag: string | null; readonly lastModified: string | null };

export type Downloaded = FileVersion & {
  readonly path: string;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
};

/** A failure of the publisher, of the connection or of the disk. The message names the address and what to do. */
export class PublisherFailure extends Error {
  override readonly name = 'PublisherFailure';
}

export type ClientOptions = {
  /**
   * `http://host:port` of a mirror, which serves `<original host><path>?<query>` below its own address; `null` reaches the
   * publishers themselves.
   */
  readonly mirror: string | null;
};

const userAgent = 'Levy/1.0 (sales tax content updater; Node.js)';
const attempts = 4;
const pauses = { firstMs: 500, mostMs: 8000 };
const pageBytesMax = 4 * 1024 * 1024;
/** Ends a response whose headers or next bytes take longer. */
const stalledMs = 30_000;
/** The largest file. Washington's boundary file, the largest known, has 383 MB unpacked. */
const fileBytesMax = 1024 ** 3;

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const remedies: Readonly<Record<number, string>> = {
  403: 'The publisher refuses the request. Download the file in a browser and import it with `content import`.',
  404: 'The publisher has moved the file. Download it from its site and import it with `content import`.',
};

const startsHtml = /^[\s\uFEFF]*<(?:!doctype html|html|head|body)/i;

/** Refuse a page that is sent instead of a file. */
const refuseHtml = async (path: string, url: string): Promise<void> => {
  if (startsHtml.test((await firstBytes(path, 512)).toString('latin1')))
    throw new PublisherFailure(`${url} returned an HTML page instead of a file. Try again later, or see its site.`);
};

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

const versionOf = ({ headers }: Response): FileVersion => ({
  etag: headers.get('etag'),
  lastModified: headers.get('last-modified'),
});

/** The headers that request the file only if it differs from a version. */
const conditional = ({ etag, lastModified }: FileVersion): Record<string, string> => ({
  ...(etag !== null && { 'If-None-Match': etag }),
  ...(etag === null && lastModified !== null && { 'If-Modified-Since': lastModified }),
});

/** What one attempt gave; a `failure` may pass with the next attempt. */
type Attempt<Value> = { readonly value: Value } | { readonly failure: string };

const fullDisk: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** The failure of a full disk, which is not retryable; `null` for another error. */
const fullDiskFailure = (url: string, error: Error): PublisherFailure | null =>
  'code' in error && fullDisk.includes(error.code)
    ? new PublisherFailure(`${url} cannot be stored: ${error.message}. Free space, or set TMPDIR to another folder.`)
    : null;

/** A folder without permission, not the publisher. */
const isLocal = (error: Error): boolean => 'syscall' in error && 'path' in error;

const reasonOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message);

/** Aborts a response when no data arrives for a time. */
class Watch {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor() {
    const reason = new Error(`no data for ${stalledMs / 1000} s`);
    this.timer = setTimeout(() => this.controller.abort(reason), stalledMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Data arrived: the time begins again. */
  touch(): void {
    this.timer.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

export type DownloadOptions = {
  /** Where the file goes. It appears there only when it is complete. */
  readonly path: string;
  /** The version that is known already, or `null`. */
  readonly known: FileVersion | null;
  /** Bytes so far, and in all if the publisher says so. */
  readonly onProgress?: (bytes: number, total: number | null) => void;
};

/**
 * Reads pages and files of publishers. An attempt that may succeed later (no connection, a cut connection, status 408, 429
 * or 5xx) is repeated up to three times; a download continues where it was cut. Every method throws `PublisherFailure`.
 */
export class PublisherClient {
  private readonly mirror: string | null;

  constructor({ mirror }: ClientOptions) {
    this.mirror = mirror;
  }

  /** Read an HTML page or a JSON document of at most 4 MiB. */
  readText(url: string): Promise<string> {
    return this.retry(url, async (watch) => {
      const response = await this.request(url, { signal: watch.signal });
      if (!response.ok) return failedStatus(url, response);
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        watch.touch();
        bytes += chunk.length;
        if (bytes > pageBytesMax) throw new PublisherFailure(`${url} has more than 4 MiB, which no index has.`);
        chunks.push(chunk);
      }
      return { value: Buffer.concat(chunks).toString('utf8') };
    });
  }

  /** The version of a file, without its content. */
  readVersion(url: string): Promise<FileVersion> {
    return this.retry(url, async ({ signal }) => {
      const response = await this.request(url, { method: 'HEAD', signal });
      return response.ok ? { value: versionOf(response) } : failedStatus(url, response);
    });
  }

  /** Download a file; `null` if the publisher still has the known version. */
  async download(url: string, { path, known, onProgress }: DownloadOptions): Promise<Downloaded | null> {
    const part = `${path}.part`;
    // The version of the part: bytes of two versions are never joined.
    let version: FileVersion | null = null;
    const isNew = await this.retry(url, async (watch) => {
      const start = version?.etag ? await sizeOf(part) : 0;
      const resume = start > 0 && version?.etag ? { Range: `bytes=${start}-`, 'If-Range': version.etag } : null;
      const headers = resume ?? (known && version === null ? conditional(known) : {});
      const response = await this.request(url, { headers, signal: watch.signal });
      if (response.status === 304) return { value: false };
      if (!response.ok || response.body === null) return failedStatus(url, response);
      const isContinued = response.status === 206 && resume !== null;
      if (!isContinued) version = versionOf(response);
      await pipeline(
        Readable.fromWeb(response.body),
        this.counting(url, response, isContinued ? start : 0, watch, onProgress),
        createWriteStream(part, { flags: isContinued ? 'a' : 'w' }),
      );
      return { value: true };
    });
    if (!isNew || version === null) return null;
    await refuseHtml(part, url);
    await rename(part, path);
    return { ...(version as FileVersion), path, sha256: await hashOf(path), bytes: await sizeOf(path) };
  }

  /** Passes bytes on, reports them, and refuses a file that is too large. */
  private counting(
    url: string,
    { headers }: Response,
    start: number,
    watch: Watch,
    onProgress: DownloadOptions['onProgress'],
  ): Transform {
    const length = headers.get('content-length');
    const total = length === null ? null : start + Number(length);
    let bytes = start;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        watch.touch();
        bytes += chunk.length;
        onProgress?.(bytes, total);
        if (Math.max(bytes, total ?? 0) <= fileBytesMax) return done(null, chunk);
        done(new PublisherFailure(`${url} is larger than 1 GiB. Check it, and import it with \`content import\`.`));
      },
    });
  }

  private request(url: string, init: RequestInit): Promise<Response> {
    const address = this.mirror === null ? url : `${this.mirror.replace(/\/$/, '')}/${url.replace(/^https?:\/\//, '')}`;
    return fetch(address, { ...init, headers: { 'User-Agent': userAgent, ...init.headers } });
  }

  private async retry<Value>(url: string, attempt: (watch: Watch) => Promise<Attempt<Value>>): Promise<Value> {
    let failure = '';
    for (let tried = 0; tried < attempts; tried += 1) {
      if (tried > 0) await realTime.sleep(pauseBefore(tried - 1, pauses, realTime));
      const watch = new Watch();
      try {
        const outcome = await attempt(watch);
        if ('value' in outcome) return outcome.value;
        failure = outcome.failure;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const failed = fullDiskFailure(url, error);
        if (failed) throw failed;
        if (error instanceof PublisherFailure || isLocal(error)) throw error;
        failure = reasonOf(error);
      } finally {
        watch.end();
      }
    }
    throw new PublisherFailure(`${url} failed ${attempts} times: ${failure}. Run the update again later.`);
  }
}

const failedStatus = (url: string, { status }: Response): { readonly failure: string } => {
  if (isTransient(status)) return { failure: `status ${status}` };
  throw new PublisherFailure(
    `${url} returned status ${status}. ${remedies[status] ?? 'Check the site of its publisher.'}`,
  );
};
