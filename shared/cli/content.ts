/** `npm run content -- …`: import, look at, compare, check and activate releases of tax content. */
import { environment } from '../config/environment.ts';
import { explainError } from './content/explain-error.ts';
import { contentProgram } from './content/program.ts';

/** An emulator wants credentials and looks at none; the operator's own stay out of it. */
const useLocalCredentials = (): void => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
  delete process.env['AWS_SESSION_TOKEN'];
  delete process.env['AWS_PROFILE'];
};

// Who reads the output has seen enough: `npm run content -- diff … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

if (environment.dynamodbEndpoint) useLocalCredentials();
try {
  await contentProgram().parseAsync();
} catch (error) {
  console.error(explainError(error) ?? error);
  process.exitCode = 1;
}
