import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundle, type Entry } from './bundling.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A function's code, built when the stack is synthesized and hashed by its content.
 *
 * NodejsFunction would do nearly the same through esbuild's command line, with a second set of options to keep equal.
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
      // CDK keeps assets by what of this object is data: without the entry, all functions would get the first one's code.
      command: [entry],
      // Asked for by the type. A container is never started, because the local way above always succeeds or throws.
      image: DockerImage.fromRegistry('not-used'),
    },
  });
