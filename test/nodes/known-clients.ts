import type { RpcErrorObject } from './scenario.ts';

/**
 * Answers of clients that cannot run beside the tests, read from their source. `step` is the step of the
 * scenario in the same situation. Two situations are not in the scenario: they need a new or a limited node.
 * `source` is the file in the client's repository at `version`: a release, or the start of a commit hash.
 */
export interface KnownAnswer {
  client: string;
  version: string;
  step: string;
  source: string;
  error?: RpcErrorObject;
  result?: unknown;
}

type Rows = Record<string, [source: string, answer: RpcErrorObject | { result: unknown }]>;

const frozen = `0x08c379a0${[
  '20'.padStart(64, '0'),
  '11'.padStart(64, '0'),
  Buffer.from('account is frozen').toString('hex').padEnd(64, '0'),
].join('')}`;
const overflow = `0x4e487b71${'11'.padStart(64, '0')}`;
const error = (code: number, message: string, data?: unknown): RpcErrorObject => ({
  code,
  message,
  ...(data !== undefined && { data }),
});
const nothing = { result: null };

const files = {
  acceptTxResult: 'src/Nethermind/Nethermind.TxPool/AcceptTxResult.cs',
  ethRpcModule: 'src/Nethermind/Nethermind.JsonRpc/Modules/Eth/EthRpcModule.cs',
  transactionExecutor: 'src/Nethermind/Nethermind.JsonRpc/Modules/Eth/EthRpcModule.TransactionExecutor.cs',
  transactionSubstate: 'src/Nethermind/Nethermind.Evm/TransactionSubstate.cs',
  erigonPool: 'txnprovider/txpool/txpool_grpc_server.go',
  rethErrors: 'crates/rpc/rpc-eth-types/src/error/mod.rs',
  besuErrors:
    'ethereum/api/src/main/java/org/hyperledger/besu/ethereum/api/jsonrpc/internal/response/RpcErrorType.java',
};

/** Geth and the clients that descend from it share these. */
const gethWords: Rows = {
  'send: already known': ['core/txpool/errors.go', error(-32000, 'already known')],
  'send: nonce too low': [
    'core/txpool/validation.go',
    error(-32000, 'nonce too low: next nonce 2, tx nonce 1'),
  ],
  'send: mined before': [
    'core/txpool/validation.go',
    error(-32000, 'nonce too low: next nonce 2, tx nonce 1'),
  ],
  'send: replacement underpriced': [
    'core/txpool/errors.go',
    error(-32000, 'replacement transaction underpriced'),
  ],
  'send: insufficient funds': [
    'core/txpool/validation.go',
    error(
      -32000,
      'insufficient funds for gas * price + value: balance 0, tx cost 15000000000000000, overshot …',
    ),
  ],
  'send: intrinsic gas too low': [
    'core/txpool/validation.go',
    error(-32000, 'intrinsic gas too low: gas 21000, minimum needed 21780'),
  ],
  'send: another chain id': [
    'core/types/transaction_signing.go',
    error(-32000, 'invalid sender: invalid chain id for signer: have 1 want 137'),
  ],
  'send: gas above the block limit': ['core/txpool/errors.go', error(-32000, 'exceeds block gas limit')],
  'send: empty': ['core/types/transaction.go', error(-32000, 'typed transaction too short')],
  'receipt: unknown': ['internal/ethapi/api.go', nothing],
  'transaction: unknown': ['internal/ethapi/api.go', nothing],
  'block: beyond the head': ['internal/ethapi/api.go', nothing],
  'count: beyond the head': ['eth/api_backend.go', error(-32000, 'header not found')],
  'balance: beyond the head': ['eth/api_backend.go', error(-32000, 'header not found')],
  'call: beyond the head': ['eth/api_backend.go', error(-32000, 'header not found')],
  'call: revert with a reason': [
    'internal/ethapi/errors.go',
    error(3, 'execution reverted: account is frozen', frozen),
  ],
  'call: revert without data': ['internal/ethapi/errors.go', error(3, 'execution reverted', '0x')],
  'call: panic': [
    'internal/ethapi/errors.go',
    error(3, 'execution reverted: arithmetic underflow or overflow', overflow),
  ],
  'call: out of gas': ['core/vm/errors.go', error(-32000, 'out of gas')],
  'unknown method': [
    'rpc/errors.go',
    error(-32601, 'the method eth_doesNotExist does not exist/is not available'),
  ],
  'params: none': ['rpc/json.go', error(-32602, 'missing value for required argument 0')],
  'batch: empty': ['rpc/handler.go', error(-32600, 'empty batch')],
};

const clients: { client: string; version: string; rows: Rows }[] = [
  {
    client: 'geth',
    version: '02b73d4ea718',
    rows: {
      'block: finalized, none yet': ['eth/api_backend.go', error(-32000, 'finalized block not found')],
      'logs: above the limit': ['eth/filters/filter.go', error(-32602, 'exceed maximum block range 1000')],

      ...gethWords,
      'logs: end beyond the head': [
        'eth/filters/filter.go',
        error(-32602, 'block range extends beyond current head block'),
      ],
      'logs: all beyond the head': [
        'eth/filters/filter.go',
        error(-32602, 'block range extends beyond current head block'),
      ],
      'logs: inverted range': ['eth/filters/api.go', error(-32602, 'invalid block range params')],
      'logs: of an unknown block': ['eth/filters/filter.go', error(-32000, 'unknown block')],
    },
  },
  {
    client: 'bor',
    version: '2.2.8',
    rows: {
      'block: finalized, none yet': ['eth/api_backend.go', error(-32000, 'finalized block not found')],

      ...gethWords,
      'logs: inverted range': ['eth/filters/api.go', error(-32000, 'invalid block range params')],
    },
  },
  {
    client: 'nethermind',
    version: 'd2c452d93ee3',
    rows: {
      'block: finalized, none yet': [files.ethRpcModule, nothing],
      'logs: above the limit': [
        files.ethRpcModule,
        error(-32005, 'Too many logs requested. Max logs per response is 20000.'),
      ],

      'send: already known': [files.acceptTxResult, error(-32000, 'already known')],
      'send: nonce too low': [files.acceptTxResult, error(-32000, 'nonce too low')],
      'send: replacement underpriced': [
        files.acceptTxResult,
        error(-32000, 'replacement transaction underpriced'),
      ],
      'send: insufficient funds': [
        files.acceptTxResult,
        error(-32000, 'insufficient funds for gas * price + value'),
      ],
      'send: bytes cut off': [files.ethRpcModule, error(-32000, 'Invalid RLP.')],
      'block: beyond the head': [files.ethRpcModule, nothing],
      'count: beyond the head': [
        'src/Nethermind/Nethermind.JsonRpc/Modules/BlockFinderExtensions.cs',
        error(-32000, 'header not found'),
      ],
      'call: revert with a reason': [
        files.transactionExecutor,
        error(3, 'execution reverted: account is frozen', frozen),
      ],
      'call: revert without data': [files.transactionExecutor, error(3, 'execution reverted', '0x')],
      'logs: end beyond the head': [
        files.ethRpcModule,
        error(-32602, 'requested block range is in the future'),
      ],
      'logs: all beyond the head': [
        files.ethRpcModule,
        error(-32602, 'requested block range is in the future'),
      ],
      'logs: inverted range': [files.ethRpcModule, error(-32602, 'invalid block range params')],
      'unknown method': [
        'src/Nethermind/Nethermind.JsonRpc/ErrorMessages.cs',
        error(-32601, 'the method eth_doesNotExist does not exist/is not available'),
      ],
      'params: none': [
        'src/Nethermind/Nethermind.JsonRpc/JsonRpcService.cs',
        error(-32602, 'missing value for required argument 0'),
      ],
    },
  },
  {
    client: 'nethermind',
    version: '1.39.3',
    rows: {
      'send: already known': [files.acceptTxResult, error(-32000, 'AlreadyKnown')],
      'send: replacement underpriced': [files.acceptTxResult, error(-32000, 'ReplacementNotAllowed')],
      'send: insufficient funds': [
        'src/Nethermind/Nethermind.TxPool/Filters/BalanceZeroFilter.cs',
        error(-32000, 'InsufficientFunds, Balance is zero, cannot pay gas'),
      ],
    },
  },
  {
    client: 'nethermind',
    version: '1.35.0',
    rows: {
      'send: already known': [files.acceptTxResult, error(-32010, 'AlreadyKnown')],
      'call: revert with a reason': [files.transactionExecutor, error(-32000, 'account is frozen', frozen)],
      'call: revert without data': [files.transactionExecutor, error(-32000, 'revert', '0x')],
      'call: panic': [files.transactionExecutor, error(-32000, 'arithmetic underflow or overflow', overflow)],
      'call: out of gas': [files.transactionExecutor, error(-32000, 'OutOfGas', '0x')],
    },
  },
  {
    client: 'nethermind',
    version: '1.31.0',
    rows: {
      'send: already known': [files.acceptTxResult, error(-32010, 'AlreadyKnown')],
      'call: revert with a reason': [
        files.transactionSubstate,
        error(-32015, 'VM execution error.', 'account is frozen'),
      ],
      'call: revert without data': [
        files.transactionSubstate,
        error(-32015, 'VM execution error.', 'revert'),
      ],
      'call: panic': [
        files.transactionSubstate,
        error(-32015, 'VM execution error.', 'arithmetic underflow or overflow'),
      ],
      'call: out of gas': [files.transactionSubstate, error(-32015, 'VM execution error.', 'OutOfGas')],
    },
  },
  {
    client: 'nethermind',
    version: '1.25.0',
    rows: {
      'send: nonce too low': [files.acceptTxResult, error(-32010, 'OldNonce')],
      'call: revert with a reason': [
        files.transactionSubstate,
        error(-32015, 'VM execution error.', `Reverted ${frozen}`),
      ],
    },
  },
  {
    client: 'erigon',
    version: 'cc00ebca1bae',
    rows: {
      'block: finalized, none yet': [
        'rpc/rpchelper/rpc_block.go',
        error(-39001, 'block "finalized" not available (head block: 8)'),
      ],
      'logs: above the limit': [
        'rpc/jsonrpc/eth_receipts.go',
        error(-32602, 'query block range exceeds server limit, narrow your filter: 1000'),
      ],

      'send: already known': [files.erigonPool, error(-32000, 'ALREADY_EXISTS: already known')],
      'send: nonce too low': [files.erigonPool, error(-32000, 'INTERNAL_ERROR: nonce too low')],
      'send: replacement underpriced': [
        files.erigonPool,
        error(-32000, 'FEE_TOO_LOW: replacement transaction underpriced'),
      ],
      'send: insufficient funds': [files.erigonPool, error(-32000, 'INTERNAL_ERROR: insufficient funds')],
      'send: intrinsic gas too low': [files.erigonPool, error(-32000, 'INTERNAL_ERROR: IntrinsicGas')],
      'send: another chain id': [
        'rpc/jsonrpc/send_transaction.go',
        error(-32000, 'invalid chain id, expected: 137 got: 1'),
      ],
      'receipt: unknown': ['rpc/jsonrpc/eth_receipts.go', nothing],
      'block: beyond the head': ['rpc/jsonrpc/eth_block.go', nothing],
      'count: beyond the head': ['rpc/errors.go', error(-32000, 'block not found: 1000')],
      'call: revert with a reason': [
        'rpc/ethapi/api.go',
        error(3, 'execution reverted: account is frozen', frozen),
      ],
      'call: revert without data': ['rpc/ethapi/api.go', error(3, 'execution reverted', '0x')],
      'logs: end beyond the head': [
        'rpc/jsonrpc/eth_receipts.go',
        error(-32602, 'block range extends beyond current head block'),
      ],
      'logs: all beyond the head': [
        'rpc/jsonrpc/eth_receipts.go',
        error(-32602, 'block range extends beyond current head block'),
      ],
      'logs: inverted range': ['rpc/jsonrpc/eth_receipts.go', error(-32602, 'invalid block range params')],
      'unknown method': [
        'rpc/errors.go',
        error(-32601, 'the method eth_doesNotExist does not exist/is not available'),
      ],
    },
  },
  {
    client: 'reth',
    version: '7b3432d95003',
    rows: {
      'block: finalized, none yet': [files.rethErrors, error(-32001, 'block not found: finalized')],
      'logs: above the limit': [
        'crates/rpc/rpc/src/eth/filter.rs',
        error(-32602, 'query exceeds max results 20000, retry with the range 1-700'),
      ],

      'send: already known': [files.rethErrors, error(-32000, 'already known')],
      'send: nonce too low': [files.rethErrors, error(-32000, 'nonce too low: next nonce 2, tx nonce 1')],
      'send: replacement underpriced': [
        files.rethErrors,
        error(-32000, 'replacement transaction underpriced'),
      ],
      'send: insufficient funds': [
        files.rethErrors,
        error(-32003, 'insufficient funds for gas * price + value: have 0 want 15000000000000000'),
      ],
      'send: intrinsic gas too low': [files.rethErrors, error(-32000, 'intrinsic gas too low')],
      'send: another chain id': [files.rethErrors, error(-32000, 'invalid chain ID')],
      'send: gas above the block limit': [files.rethErrors, error(-32000, 'exceeds block gas limit')],
      'send: bytes cut off': [files.rethErrors, error(-32602, 'failed to decode signed transaction')],
      'send: empty': [files.rethErrors, error(-32602, 'empty transaction data')],
      'count: beyond the head': [files.rethErrors, error(-32001, 'block not found: 0x3e8')],
      'call: revert with a reason': [
        files.rethErrors,
        error(3, 'execution reverted: account is frozen', frozen),
      ],
      'call: revert without data': [files.rethErrors, error(3, 'execution reverted')],
      'call: out of gas': [files.rethErrors, error(-32003, 'out of gas: gas required exceeds: 30000')],
      'logs: end beyond the head': [
        'crates/rpc/rpc/src/eth/filter.rs',
        error(-32602, 'block range extends beyond current head block: requested 1000, head 8'),
      ],
      'logs: all beyond the head': [
        'crates/rpc/rpc/src/eth/filter.rs',
        error(-32602, 'block range extends beyond current head block: requested 1010, head 8'),
      ],
      'logs: inverted range': [
        'crates/rpc/rpc/src/eth/filter.rs',
        error(-32602, 'invalid block range params'),
      ],
    },
  },
  {
    client: 'besu',
    version: '3fd224e2e49d',
    rows: {
      'logs: above the limit': [
        files.besuErrors,
        error(-32005, 'Requested range exceeds maximum RPC range limit'),
      ],

      'send: already known': [files.besuErrors, error(-32000, 'Known transaction')],
      'send: nonce too low': [files.besuErrors, error(-32001, 'Nonce too low')],
      'send: replacement underpriced': [
        files.besuErrors,
        error(-32000, 'Replacement transaction underpriced'),
      ],
      'send: insufficient funds': [files.besuErrors, error(-32004, 'Upfront cost exceeds account balance')],
      'send: intrinsic gas too low': [files.besuErrors, error(-32003, 'Intrinsic gas exceeds gas limit')],
      'send: another chain id': [files.besuErrors, error(-32000, 'Wrong chainId')],
      'call: revert with a reason': [files.besuErrors, error(3, 'Execution reverted', frozen)],
      'logs: end beyond the head': [
        'ethereum/api/src/main/java/org/hyperledger/besu/ethereum/api/jsonrpc/internal/parameters/FilterParameter.java',
        error(-32602, 'Invalid params'),
      ],
      'unknown method': [files.besuErrors, error(-32601, 'Method not found')],
    },
  },
];

export const knownAnswers: KnownAnswer[] = clients.flatMap(({ client, version, rows }) =>
  Object.entries(rows).map(([step, [source, answer]]) => ({
    client,
    version,
    step,
    source,
    ...('result' in answer ? answer : { error: answer as RpcErrorObject }),
  })),
);
