export { checksumAddress, parseAddress } from './address.ts';
export { askAgain } from './ask-again.ts';
export { batchCalls } from './batch-calls.ts';
export {
  type Block,
  readBlock,
  readBlockHashes,
  readChainId,
  readFinalBlock,
  readTransactionCount,
} from './blocks.ts';
export { type Chain, chains, type Network, networks, type TokenSymbol } from './chains.ts';
export { type Fees, median, raiseFees, readFees } from './fees.ts';
export {
  describeFinality,
  type Finality,
  type FinalityRule,
  parseFinality,
  ruleFor,
  strictestRule,
} from './finality.ts';
export { callNode, NodeError } from './json-rpc.ts';
export { isKnownTransaction } from './known-transaction.ts';
export {
  createEvm,
  type Evm,
  type EvmNetwork,
  hotWalletsMax,
  isInNetworks,
  type NetworkSettings,
  networksWithoutNode,
} from './networks.ts';
export { createNode, type Node, type Provider } from './node.ts';
export { addressOfKey, type PrivateKey, parsePrivateKey } from './private-key.ts';
export {
  type Log,
  type Move,
  matchTransfer,
  paysAnything,
  type Receipt,
  readMoves,
  readReceipts,
} from './receipts.ts';
export {
  hasTransfer,
  type Received,
  type ReceivedRange,
  type ReceivedTransfer,
  readReceivedTransfers,
  receivesTransfer,
} from './received-transfers.ts';
export { readKnown, readSentTransaction, readSentTransfers, type SentTransfer } from './sent-transfers.ts';
export { createSigner, hashOf, type Signer, type TransferToSign } from './signer.ts';
export {
  readDecimals,
  readFrozen,
  readGasBalance,
  readTokenBalance,
  readTokenBalances,
  simulateTransfers,
} from './token-reads.ts';
export { createToken, type Token, tokenAddresses, tokenSymbols, tokensOf } from './tokens.ts';
export { readMark, type Transfer } from './transfers.ts';
export { viem } from './viem.ts';
