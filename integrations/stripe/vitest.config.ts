import config from '../core/vitest.config.ts';

export default config;
