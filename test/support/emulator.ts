import { emulatorEnvironment, startEmulator, useEmulator } from '../../infra/local/emulator.ts';

/** The database of this test run: the one at DYNAMODB_ENDPOINT, or a fresh one of the kind in EMULATOR, the memory database by default. */
export const openEmulator = async () => {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const emulator = given
    ? await useEmulator(given)
    : await startEmulator(process.env['EMULATOR'] ? {} : { kind: 'memory' });
  Object.assign(process.env, emulatorEnvironment(emulator));
  return emulator;
};
