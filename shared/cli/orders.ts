/** `npm run orders -- …` and `npm run compare`: compare and import orders of another tax system. */
import { addCompare } from './orders/compare.ts';
import { addImport } from './orders/import.ts';
import { LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

export const ordersProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('orders').description(
      'Orders of another tax system, sent to a running service. Only `import` writes.',
    ),
    'npm run orders -- import --file orders.ndjson --dry-run',
    [addCompare, addImport],
  );

if (import.meta.main) await runCommand(ordersProgram());
