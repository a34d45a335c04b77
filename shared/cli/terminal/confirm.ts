import { confirm } from '@clack/prompts';
import { CommandError } from './errors.ts';

export type Confirmation = { readonly yes?: boolean; readonly json?: boolean };

/** Ask before a change on a terminal. Elsewhere, and with --json, --yes is required. */
export const requireConfirmation = async (message: string, { yes, json }: Confirmation): Promise<void> => {
  if (yes) return;
  if (json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandError('Nothing was changed. Without a terminal, and with --json, pass --yes to confirm.');
  if ((await confirm({ message, initialValue: false, output: process.stderr })) !== true)
    throw new CommandError('Nothing was changed.');
};
