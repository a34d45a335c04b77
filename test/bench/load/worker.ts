/** A worker process that serves a load run: the local service's gateway and functions, on the shared port. */
import { createGateway } from '../../../infra/local/gateway.ts';
import { handlers } from '../../../infra/local/handlers.ts';

const server = createGateway({ handlers });
// Longer than any pause of the generator.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1');
// Exits by itself, so `--cpu-prof` writes its profile.
for (const end of ['SIGTERM', 'disconnect'] as const) process.once(end, () => process.exit());
