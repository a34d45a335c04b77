import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { world } from './world.ts';

/** The module that the service's code gets instead of the modules in `replaced`. */
const replacement = new URL('virtual.ts', import.meta.url).href;
const replaced = ['node:timers/promises', 'ulid'];

const shared = new URL('../../shared/', import.meta.url);

const sourcesIn = (folder: URL): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** A replacement in the service's source. The text must occur exactly once in all files. */
export type Patch = { readonly find: string; readonly replace: string };

/** The changed sources, by URL. */
const patchedSources = (patches: readonly Patch[]): ReadonlyMap<string, string> => {
  const changed = new Map<string, string>();
  if (patches.length === 0) return changed;
  const sources = sourcesIn(shared).map((name) => new URL(name, shared).href);
  for (const { find, replace } of patches) {
    const places = sources.flatMap((url) => {
      const source = changed.get(url) ?? readFileSync(fileURLToPath(url), 'utf8');
      return Array.from({ length: source.split(find).length - 1 }, () => ({ url, source }));
    });
    const [place, ...others] = places;
    if (!place || others.length > 0)
      throw new Error(`The text that a mutant replaces occurs ${places.length} times: ${find}`);
    changed.set(
      place.url,
      place.source.replace(find, () => replace),
    );
  }
  return changed;
};

/**
 * Injects the schedule's clock and random numbers, and the bugs of a mutant, into the service. Must be called before
 * the service is loaded.
 */
export const preparePlatform = (patches: readonly Patch[], showsStacks: boolean): void => {
  const sources = patchedSources(patches);
  registerHooks({
    resolve: (specifier, context, next) => {
      const isReplaced = replaced.includes(specifier) && context.parentURL?.startsWith(shared.href);
      return isReplaced
        ? { url: replacement, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context);
    },
    load: (url, context, next) => {
      const source = sources.get(url);
      if (source === undefined) return next(url, context);
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
  Math.random = () => world.random();
  Date.now = () => world.nowMs;
  performance.now = () => world.nowMs;
  // Failures are recorded for the checks and not printed.
  console.error = () => {};
  // Stack traces are slow, and only a replay needs them.
  Error.stackTraceLimit = showsStacks ? 30 : 0;
};

const mark = Buffer.from('cheap');

/** Replaces compression, which would take most of the time. */
export const compressCheaply = (): void => {
  const zlib = process.getBuiltinModule('node:zlib') as { deflateRawSync: unknown; inflateRawSync: unknown };
  zlib.deflateRawSync = (bytes: Uint8Array) => Buffer.concat([mark, bytes]);
  zlib.inflateRawSync = (bytes: Uint8Array) => {
    const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!plain.subarray(0, mark.length).equals(mark)) throw new Error('Not compressed.');
    return plain.subarray(mark.length);
  };
};
