import type { Chain } from './chain.ts';
import { type Hex, quantityOf, RpcError } from './engine.ts';
import type { Sent } from './pool.ts';
import { mineNext } from './reorganise.ts';

type Method = (chain: Chain, ...params: never[]) => unknown;

const safeDepth = 2;
const finalizedDepth = 4;
const minedAtOnceMax = 10_000;
const silenceMaxMs = 600_000;
/** The year 9999. The engine ends the process when time overflows. */
const timeMax = 253_402_300_799;
/** As the engine's default: a call that loops takes about two seconds. */
const callGasMax = 16_000_000;

/** Methods that the engine lacks or does differently than a node. All others are the engine's. */
const methods: Record<string, Method> = {
  eth_chainId: ({ chainId }) => quantityOf(chainId),
  eth_blockNumber: ({ head }) => quantityOf(head.number),
  eth_sendRawTransaction: (chain, raw: string) => sendAndMine(chain, { raw }),
  eth_sendTransaction: (chain, request: Record<string, string>) => sendAndMine(chain, { request }),
  async eth_getTransactionCount(chain, address: string, at = 'latest') {
    if (at !== 'pending') return chain.ask('eth_getTransactionCount', address, readTag(chain, at));
    return quantityOf((await chain.countTransactions(address)).pending);
  },
  async eth_getLogs(chain, filter: Record<string, unknown>) {
    const { number: head } = chain.head;
    const numberOf = (at: unknown) => (at === 'earliest' ? 0 : /^0x/.test(String(at)) ? Number(at) : head);
    const read = readTags(chain, filter);
    const { fromBlock, toBlock } = (typeof read === 'object' && read ? read : {}) as typeof filter;
    const [from, to] = [numberOf(fromBlock), numberOf(toBlock)];
    if (from > to) throw new RpcError(-32602, 'invalid block range params');
    if (to > head) throw new RpcError(-32602, 'block range extends beyond current head block');
    return chain.ask('eth_getLogs', read);
  },
  eth_getRawTransactionByHash: (chain, hash: string) => chain.rawOf(hash),
  async txpool_status(chain) {
    let ready = 0;
    for (const sender of chain.pool.senders()) {
      const { latest, pending } = await chain.countTransactions(sender);
      ready += pending - latest;
    }
    return { pending: quantityOf(ready), queued: quantityOf(chain.pool.size - ready) };
  },
  async evm_mine(chain, time?: string) {
    if (time !== undefined && !(Number(time) <= timeMax)) throw new RpcError(-32602, 'timestamp too large');
    await mineNext(chain, time === undefined ? undefined : Number(time));
    return '0x0';
  },
  async evm_setAutomine(chain, isOn: boolean) {
    chain.isAutomining = isOn === true;
    if (chain.isAutomining) mineSoon(chain);
  },
  async hardhat_mine(chain, blocks = '0x1') {
    const isNumber = Number.isInteger(Number(blocks)) && Number(blocks) >= 0;
    if (!isNumber || Number(blocks) > minedAtOnceMax) {
      throw new RpcError(-32602, `blocks must be a number from 0 to ${minedAtOnceMax}`);
    }
    for (let left = Number(blocks); left > 0; left -= 1) await mineNext(chain);
  },
  hardhat_getAutomine: ({ isAutomining }) => isAutomining,
  hardhat_setNextBlockBaseFeePerGas: (chain, fee: Hex) => chain.setNextBaseFee(fee),
  hardhat_impersonateAccount: (chain, address: string) => chain.setImpersonated(address, true),
  hardhat_stopImpersonatingAccount: (chain, address: string) => chain.setImpersonated(address, false),
  hardhat_dropTransaction: (chain, hash: string) => chain.drop(hash),
  hardhat_dropAllTransactions: (chain) => chain.dropAll(),
  // Our own, to show accidents.
  devnet_reorganise(chain) {
    chain.replacement = 'wanted';
  },
  devnet_silence(chain, milliseconds: number) {
    chain.silentUntil = Date.now() + Math.min(Number(milliseconds) || 0, silenceMaxMs);
  },
};
for (const method of ['eth_call', 'eth_estimateGas']) {
  methods[method] = (chain, request: Record<string, unknown>, at = 'latest', ...others) => {
    const gas = Math.min(Number(request?.gas ?? callGasMax), callGasMax);
    return chain.ask(method, { ...request, gas: quantityOf(gas) }, readTags(chain, at), ...others);
  };
}
for (const name of ['setBalance', 'setNonce', 'setCode', 'setStorageAt']) {
  const method = `hardhat_${name}`;
  methods[method] = (chain, ...params) => {
    // The engine ends the process when it gets a delegation that is not whole.
    const code = String(params[1]);
    const isBroken = name === 'setCode' && /^0xef01/i.test(code) && !/^0xef0100.{40}$/i.test(code);
    if (isBroken) throw new RpcError(-32602, 'invalid code');
    return chain.change(method, params);
  };
}

/** These would make the chain differ from its journal. */
const refused = new Set([
  'evm_revert',
  'evm_snapshot',
  'evm_setNextBlockTimestamp',
  'evm_increaseTime',
  'evm_setIntervalMining',
  'evm_setBlockGasLimit',
  'hardhat_reset',
  'hardhat_setPrevRandao',
  'hardhat_setCoinbase',
  'hardhat_setMinGasPrice',
]);

export async function answerMethod(chain: Chain, method: string, params: unknown[]): Promise<unknown> {
  // The name in Foundry's tools.
  const name = method.replace(/^anvil_/, 'hardhat_');
  const own = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (own) return (await own(chain, ...(params as never[]))) ?? null;
  if (refused.has(name)) throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
  return chain.ask(name, ...params.map((param) => readTags(chain, param)));
}

async function sendAndMine(chain: Chain, sent: Sent): Promise<string> {
  const hash = await chain.send(sent);
  mineSoon(chain);
  return hash;
}

/** Mined after transactions that were sent at the same time, so that they share one block. */
function mineSoon(chain: Chain): void {
  setImmediate(() => {
    void chain.inTurn(async () => {
      if (chain.isAutomining) await chain.mineWaiting();
    });
  });
}

function readTags(chain: Chain, param: unknown): unknown {
  if (typeof param === 'string') return readTag(chain, param);
  if (typeof param !== 'object' || param === null || Array.isArray(param)) return param;
  if ('blockNumber' in param) return readTag(chain, String(param.blockNumber));
  const fields = Object.entries(param).map(([name, value]) =>
    name === 'fromBlock' || name === 'toBlock' ? [name, readTag(chain, value)] : [name, value],
  );
  return Object.fromEntries(fields);
}

function readTag({ head }: Chain, at: string): string {
  if (at === 'safe') return quantityOf(Math.max(head.number - safeDepth, 0));
  if (at === 'finalized') return quantityOf(Math.max(head.number - finalizedDepth, 0));
  return at;
}
