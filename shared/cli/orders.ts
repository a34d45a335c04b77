/** `npm run orders -- …` and `npm run compare`: compare and import orders of another tax system. */
import { addCompare } from './orders/compare.ts';
import { addImport } from './orders/import.ts';
import { LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

export const ordersProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('orders').description(
      'Compare and import the orders of another tax system through a running service. Only `import` writes.',
    ),
    'npm run orders -- import --file orders.ndjson --dry-run',
    [addCompare, addImport],
  );

if (import.meta.main) await runCommand(ordersProgram());
