import { credentials } from '../../store/client/sdk/env-credentials.ts';

/** The control's credentials, from the environment as a function's are: the SDK's chain would load a dozen other ways. */
export const defaultProvider = () => credentials;
