export { openChain } from './open-chain.ts';
export { reorganise } from './reorganise.ts';
export { type RpcServer, serveChain } from './rpc-server.ts';
export { type Devnet, type DevnetNetwork, startDevnet } from './start-devnet.ts';
