import type { TokenSymbol } from '#adapters/evm';
import { makeAddress } from '#test/data/factories';
import type { Chain } from './chain.ts';

/**
 * A token takes a fee of one unit for each transfer from now on: code in front of the token's, with a second
 * log. Returns the address that gets the fee.
 */
export async function takeFees(chain: Chain, symbol: TokenSymbol): Promise<string> {
  const token = chain.settings.tokens.find((one) => one.symbol === symbol)!.address;
  const feeCollector = makeAddress();
  const code = await chain.call<string>('eth_getCode', token, 'latest');
  const inner = makeAddress();
  await chain.call('hardhat_setCode', inner, code);
  const push = (hex: string) => (0x5f + hex.length / 2).toString(16) + hex;
  const topic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  // log3(memory of one word, topic, caller, collector); the word is 1.
  const log = `60015f52${push(feeCollector.slice(2))}33${push(topic)}60205fa3`;
  const isOther = '5f3560e01c63a9059cbb1415';
  const after = isOther.length / 2 + 3 + log.length / 2;
  const destination = after.toString(16).padStart(2, '0');
  // Whatever was called goes to the token's own code, on the same storage.
  const call = `5b365f5f375f5f365f${push(inner.slice(2))}5af43d5f5f3e`;
  const end = after + call.length / 2 + 6;
  const ok = end.toString(16).padStart(2, '0');
  const finish = `60${ok}573d5ffd5b3d5ff3`;
  await chain.call('hardhat_setCode', token, `0x${isOther}60${destination}57${log}${call}${finish}`);
  return feeCollector;
}
