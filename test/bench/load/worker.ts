/** One of the processes that serve a load run: the local service's gateway and functions, on the port that all share. */
import { createGateway } from '../../../infra/local/gateway.ts';
import { handlers } from '../../../infra/local/handlers.ts';

const server = createGateway({ handlers });
// Longer than any pause of the generator.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1');
// By itself, so that `--cpu-prof` writes what it saw.
for (const end of ['SIGTERM', 'disconnect'] as const) process.once(end, () => process.exit());
