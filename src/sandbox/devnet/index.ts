export { deployTestTokens } from './deploy-test-tokens.ts';
export { openChain } from './open-chain.ts';
export { reorganise } from './reorganise.ts';
export { type RpcServer, serveChain } from './rpc-server.ts';
export { startDevnet } from './start-devnet.ts';
export type { Devnet, DevnetNetwork } from './start-networks.ts';
