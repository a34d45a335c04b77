import { emulatorEnvironment, startEmulator, useEmulator } from '../../infra/local/emulator.ts';

/** The emulator of this test run: a fresh one in memory, or the one that DYNAMODB_ENDPOINT names. */
export const openEmulator = async () => {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const emulator = given ? await useEmulator(given) : await startEmulator();
  Object.assign(process.env, emulatorEnvironment(emulator));
  return emulator;
};
