import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundle, type Entry } from './bundling.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The code of a function, bundled at synthesis. Its asset hash is the hash of the bundle.
 *
 * CDK's NodejsFunction runs esbuild's command line, which would need a second copy of the bundling options.
 */
export const functionCode = (entry: Entry): Code =>
  Code.fromAsset(root, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      local: {
        tryBundle: (outdir) => {
          bundle(entry, outdir);
          return true;
        },
      },
      // CDK caches assets by the plain data of this object: without the entry, all functions would share one bundle.
      command: [entry],
      // Required by the type. No container starts, because `tryBundle` succeeds or throws.
      image: DockerImage.fromRegistry('not-used'),
    },
  });
