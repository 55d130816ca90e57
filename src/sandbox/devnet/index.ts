export { type Chain as DevnetChain, openChain } from './chain.ts';
export { serveChain } from './rpc-server.ts';
export { type Devnet, type DevnetNetwork, startDevnet } from './start-devnet.ts';
