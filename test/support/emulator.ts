import { emulatorEnvironment, startEmulator, useEmulator } from '../../infra/local/emulator.ts';

/**
 * The database of this test run: the one at DYNAMODB_ENDPOINT, or a fresh one of the kind in EMULATOR,
 * by default the memory database; in long mode dynoxide, to compare with.
 */
export const openEmulator = async (isLong: boolean) => {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const emulator = given
    ? await useEmulator(given)
    : await startEmulator(process.env['EMULATOR'] || isLong ? {} : { kind: 'memory' });
  Object.assign(process.env, emulatorEnvironment(emulator));
  return emulator;
};
