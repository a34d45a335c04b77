/** Runs the tests, and validates each request with Stripe's official mock, which uses Stripe's OpenAPI document. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const port = '12111';
const mock = spawn('stripe-mock', ['-http-port', port, '-https-port', '12112'], { stdio: 'ignore' });
mock.once('error', () => {
  console.error('stripe-mock is missing. Install it: go install github.com/stripe/stripe-mock@latest');
  process.exit(1);
});
const url = `http://127.0.0.1:${port}`;
mock.once('spawn', async () => {
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  for (let tries = 0; tries < 100 && !(await isUp()); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  const env = { ...process.env, STRIPE_MOCK_URL: url };
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const { status } = spawnSync('npx', ['vitest', 'run', '--config', '../core/vitest.config.ts', '--root', '.'], {
    cwd: folder,
    env,
    stdio: 'inherit',
  });
  mock.kill();
  process.exitCode = status ?? 1;
});
