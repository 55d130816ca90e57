export { checksumAddress, parseAddress } from './address.ts';
export { type Chain, chains, type Network, networks, type TokenSymbol } from './chains.ts';
export { deployTestTokens, type TestTokenOptions } from './deploy-test-tokens.ts';
export { callNode, type NodeCall, NodeError } from './json-rpc.ts';
export { addressOfKey, type PrivateKey } from './key-address.ts';
