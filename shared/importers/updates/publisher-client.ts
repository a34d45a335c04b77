/**
 * HTTP requests to the publishers of rate files: retries, limits, conditional and resumed downloads. Publishers are not
 * trusted (infra/docs/threat-model.md): request.ts restricts the addresses, this file the duration and size.
 */
import { createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { pauseBefore, realTime } from '../../base/contention.ts';
import { firstBytes, hashFile } from '../files/open-file.ts';
import { getBody, Refused, type Response, request } from './request.ts';

/** The version headers of a file. An absent header is `null`. */
type FileVersion = { readonly etag: string | null; readonly last_modified: string | null };

/** A failure of the publisher, the connection or the disk. The message names the URL and what to do. */
export class PublisherFailure extends Error {
  override readonly name = 'PublisherFailure';
}

type ClientOptions = {
  /**
   * `http://host:port` of a mirror, which serves `<original host><path>?<query>` below its own address; `null` requests
   * the files from the publishers.
   */
  readonly mirror: string | null;
  /**
   * Whether the mirror may use plain HTTP and a local or private address, as with `--mirror`. No other host may, not
   * even a redirect target of the mirror.
   */
  readonly isMirrorTrusted: boolean;
  /** The timeouts of a page and a file, over all attempts; defaults to one minute and half an hour. */
  readonly limits?: Partial<Limits>;
};

type Limits = { readonly pageMs: number; readonly fileMs: number; readonly stalledMs: number };

const userAgent = 'Levy/1.0 (sales tax content updater; Node.js)';
const attempts = 4;
const pauses = { firstMs: 500, mostMs: 8000 };
const pageBytesMax = 4 * 1024 * 1024;
/** `stalledMs` aborts a response if no headers or bytes arrive for that long. */
const defaults: Limits = { pageMs: 60_000, fileMs: 1_800_000, stalledMs: 30_000 };
/** The largest file. The largest known one, Washington's boundary file, is 383 MB unpacked. */
const fileBytesMax = 1024 ** 3;

const remedies: Readonly<Record<number, string>> = {
  403: 'The publisher rejected the request. Download the file in a browser and import it with `content import`.',
  404: 'The publisher has moved the file. Download it from its site and import it with `content import`.',
};

const startsHtml = /^[\s\uFEFF]*<(?:!doctype html|html|head|body)/i;

/** Throws if the file is an HTML page. */
const refuseHtml = async (path: string, url: string): Promise<void> => {
  if (startsHtml.test((await firstBytes(path, 512)).toString('latin1')))
    throw new PublisherFailure(`${url} returned an HTML page, not a file. Try later, or check the publisher's site.`);
};

const readSize = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

const toFileVersion = ({ headers }: Response): FileVersion => ({
  etag: headers.etag ?? null,
  last_modified: headers['last-modified'] ?? null,
});

/** Returns the headers that request the file only if its version has changed. */
const conditional = ({ etag, last_modified }: FileVersion): Record<string, string> => ({
  ...(etag !== null && { 'If-None-Match': etag }),
  ...(etag === null && last_modified !== null && { 'If-Modified-Since': last_modified }),
});

/** The result of one attempt; a `failure` is retryable. */
type Attempt<Value> = { readonly value: Value } | { readonly failure: string };

const fullDisk: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

const seconds = (ms: number): string => `${ms / 1000} s`;

type DownloadOptions = {
  /** Where to store the file. It is created only when the download is complete. */
  readonly path: string;
  /** The version that Levy already has, or `null`. */
  readonly known: FileVersion | null;
  /** Reports the bytes received so far, and the total if the publisher sends it. */
  readonly onProgress?: (bytes: number, total: number | null) => void;
};

/** Returns a step that forwards bytes, reports the progress, and refuses a file above the size limit. */
const counting = (
  url: string,
  { headers }: Response,
  start: number,
  onProgress: DownloadOptions['onProgress'] = () => {},
) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const length = headers['content-length'];
    const total = length === undefined || headers['content-encoding'] ? null : start + Number(length);
    let bytes = start;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      onProgress(bytes, total);
      if (Math.max(bytes, total ?? 0) > fileBytesMax)
        throw new PublisherFailure(`${url} is larger than 1 GiB. Check it, and import it with \`content import\`.`);
      yield chunk;
    }
  };

const isOk = ({ statusCode }: Response): boolean => statusCode >= 200 && statusCode < 300;

/**
 * Reads pages and files of publishers. A retryable failure (no connection, a dropped connection, status 408, 429 or
 * 5xx) is retried up to three times within the time limit; a download resumes at the byte where it stopped. Every
 * method throws `PublisherFailure`.
 */
export class PublisherClient {
  private readonly mirror: string | null;
  private readonly trusted: string | null;
  private readonly limits: Limits;

  constructor({ mirror, isMirrorTrusted, limits }: ClientOptions) {
    this.mirror = mirror;
    this.trusted = mirror !== null && isMirrorTrusted ? new URL(mirror).origin : null;
    this.limits = { ...defaults, ...limits };
  }

  /** Reads an HTML page or a JSON document of at most 4 MiB. */
  readText(url: string): Promise<string> {
    return this.retry(url, this.limits.pageMs, async (abort) => {
      const response = await this.send(url, abort);
      if (!isOk(response)) return failedStatus(url, response);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of getBody(response) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > pageBytesMax)
          throw new PublisherFailure(`${url} is larger than 4 MiB, the limit for an index page.`);
        chunks.push(chunk);
      }
      return { value: Buffer.concat(chunks).toString('utf8') };
    });
  }

  /** Returns the version of a file without its content. */
  readVersion(url: string): Promise<FileVersion> {
    return this.retry(url, this.limits.pageMs, async (abort) => {
      const response = await this.send(url, abort, 'HEAD');
      response.destroy();
      return isOk(response) ? { value: toFileVersion(response) } : failedStatus(url, response);
    });
  }

  /** Downloads a file; returns `null` if the publisher still has the known version. */
  async download(url: string, { path, known, onProgress }: DownloadOptions) {
    const part = `${path}.part`;
    // The version of the partial download. Bytes of two versions are never joined.
    let version: FileVersion | null = null;
    let isResumable = false;
    const isNew = await this.retry(url, this.limits.fileMs, async (abort) => {
      const start = isResumable ? await readSize(part) : 0;
      const resume = start > 0 && version?.etag ? { Range: `bytes=${start}-`, 'If-Range': version.etag } : null;
      const headers = resume ?? (known && version === null ? conditional(known) : {});
      const response = await this.send(url, abort, 'GET', headers);
      const isConditional = 'If-None-Match' in headers || 'If-Modified-Since' in headers;
      if (response.statusCode === 304 && isConditional) {
        response.destroy();
        return { value: false };
      }
      const isRest = response.headers['content-range']?.startsWith(`bytes ${start}-`) === true;
      const isContinued = response.statusCode === 206 && resume !== null && isRest;
      if (!isOk(response) || (response.statusCode === 206 && !isContinued)) return failedStatus(url, response);
      if (!isContinued) version = toFileVersion(response);
      const body = getBody(response);
      isResumable = version?.etag != null && body === response;
      const counted = counting(url, response, isContinued ? start : 0, onProgress);
      await pipeline(body, counted, createWriteStream(part, { flags: isContinued ? 'a' : 'w' }));
      return { value: true };
    });
    if (!isNew || version === null) return null;
    await refuseHtml(part, url);
    await rename(part, path);
    return { ...(version as FileVersion), sha256: await hashFile(path), bytes: await readSize(path) };
  }

  private send(
    url: string,
    abort: AbortController,
    method: 'GET' | 'HEAD' = 'GET',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const address = this.mirror === null ? url : `${this.mirror.replace(/\/$/, '')}/${url.replace(/^https?:\/\//, '')}`;
    const always = { 'User-Agent': userAgent, Accept: '*/*', 'Accept-Encoding': 'identity' };
    const { stalledMs } = this.limits;
    return request(address, { method, headers: { ...always, ...headers }, abort, stalledMs, trusted: this.trusted });
  }

  private async retry<Value>(
    url: string,
    limitMs: number,
    attempt: (abort: AbortController) => Promise<Attempt<Value>>,
  ): Promise<Value> {
    const end = performance.now() + limitMs;
    const leftMs = () => Math.max(0, end - performance.now());
    let failure = '';
    for (let tried = 0; tried < attempts; tried += 1) {
      if (tried > 0) await realTime.sleep(Math.min(leftMs(), pauseBefore(tried - 1, pauses, realTime)));
      if (leftMs() === 0)
        throw new PublisherFailure(`${url} took longer than ${seconds(limitMs)}. Run the update again later.`);
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(new Error('the time limit was reached')), leftMs());
      try {
        const outcome = await attempt(abort);
        if ('value' in outcome) return outcome.value;
        failure = outcome.failure;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        failure = transientFailure(url, abort.signal.aborted ? (abort.signal.reason as Error) : error);
      } finally {
        clearTimeout(timer);
      }
    }
    throw new PublisherFailure(`${url} failed ${attempts} times: ${failure}. Run the update again later.`);
  }
}

/** Returns the reason of a temporary failure. Rethrows other errors. */
const transientFailure = (url: string, error: Error): string => {
  const { message, cause } = error;
  if (error instanceof Refused)
    throw new PublisherFailure(
      `${url} ${message}. Levy requests only public https addresses. Download the file from the publisher's site and import it with \`content import\`.`,
    );
  if ('code' in error && fullDisk.includes(error.code))
    throw new PublisherFailure(`${url} cannot be stored: ${message}. Free space, or set TMPDIR to another folder.`);
  // A file-system error, such as a folder without permission, is not the publisher's fault.
  if (error instanceof PublisherFailure || ('syscall' in error && 'path' in error)) throw error;
  return cause instanceof Error ? cause.message : message;
};

const failedStatus = (url: string, response: Response): { readonly failure: string } => {
  response.destroy();
  const { statusCode: status } = response;
  if (status === 408 || status === 429 || status >= 500) return { failure: `status ${status}` };
  throw new PublisherFailure(`${url} returned status ${status}. ${remedies[status] ?? "Check the publisher's site."}`);
};
