import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * viem has 240 modules, which take 0.2 s of CPU to load: load them when something is first hashed, encoded or
 * signed.
 */
export const viem = {
  get utils(): typeof import('viem/utils') {
    return require('viem/utils');
  },
  get accounts(): typeof import('viem/accounts') {
    return require('viem/accounts');
  },
};
