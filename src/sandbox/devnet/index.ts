export { type Devnet, type DevnetNetwork, startDevnet } from './start-devnet.ts';
