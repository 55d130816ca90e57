import {
  type Network,
  networks,
  parseAddress,
  type Token,
  type TokenSymbol,
  tokenSymbols,
  tokensOf,
} from '#adapters/evm';
import { parseMinor } from '#platform/values/money';
import { isNetwork, knownNetworks } from '../network-pairs.ts';
import { itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** Which tokens there are, and which amounts of them are accepted. */
export const tokens = {
  TOKEN_ADDRESSES: {
    meaning:
      'Token contracts on test networks, instead of the issuers’ contracts: `network:SYMBOL:0xaddress`, separated by commas.',
    default: '',
    example: 'polygon:EURC:0x1111111111111111111111111111111111111111',
    parse: parseTokens,
  },
  WITHDRAWAL_LIMITS: {
    meaning:
      'Minimum and maximum of one withdrawal, `network:SYMBOL:minimum:maximum`, separated by commas. The maximum may be empty.',
    default: '',
    example: 'polygon:USDT:1:2500.50,base:USDC:5:',
    parse: parseWithdrawalLimits,
  },
  DEPOSIT_MINIMUMS: {
    meaning:
      'Minimum amount of a deposit, `network:SYMBOL:minimum`, separated by commas. Smaller transfers are counted but not credited. Default: every transfer is credited.',
    default: '',
    example: 'polygon:USDT:0.5,base:USDC:2',
    parse: parseDepositMinimums,
  },
  RECONCILE_HALT_SHORTFALL: {
    meaning:
      'Hot wallets halt if `causeway treasury reconcile`, which workers run every ten minutes, finds a shortfall above this many units of a token. `0` means any shortfall. If empty, nothing halts; alert on `causeway_treasury_shortfall`.',
    default: '',
    example: '1000',
    parse: ({ text, fault }) => {
      const [amount, ...others] = itemsOf(text);
      if (amount !== undefined && (others.length > 0 || parseMinor(amount, 6) === undefined))
        fault('RECONCILE_HALT_SHORTFALL must be one amount with at most 6 decimals, such as 1000.');
      return amount;
    },
  },
} satisfies Record<string, Setting>;

type NetworkTokens = ReadonlyMap<Network, Token[]>;

/** Amounts in whole units of the token, as decimal text. */
export interface WithdrawalLimit {
  network: Network;
  symbol: TokenSymbol;
  minimum: string;
  maximum?: string;
}

const isSymbol = (text: string): text is TokenSymbol => (tokenSymbols as string[]).includes(text);

/** Of every network, also of those without a node. */
function parseTokens({ text, fault }: Reading): NetworkTokens {
  const others = new Map(networks.map((network) => [network, {} as Partial<Record<TokenSymbol, string>>]));
  for (const item of itemsOf(text)) {
    const [network = '', symbol = '', hex = '', ...more] = item.split(':');
    const address = parseAddress(hex);
    if (!isNetwork(network) || !isSymbol(symbol) || !address || more.length > 0)
      fault(
        `TOKEN_ADDRESSES must be network:SYMBOL:0xaddress; ${knownNetworks}, the symbols ${tokenSymbols.join(', ')}.`,
      );
    else if (others.get(network)![symbol]) fault(`TOKEN_ADDRESSES has ${network}:${symbol} more than once.`);
    else others.get(network)![symbol] = address;
  }
  return new Map(
    networks.map((network) => {
      const tokens = tokensOf(network, others.get(network));
      if (new Set(tokens.map(({ address }) => address)).size < tokens.length)
        fault(`TOKEN_ADDRESSES gives two tokens of ${network} the same address.`);
      return [network, tokens];
    }),
  );
}

function parseWithdrawalLimits({ text, fault }: Reading, tokens: NetworkTokens): WithdrawalLimit[] {
  const limits = new Map<string, WithdrawalLimit>();
  for (const item of itemsOf(text)) {
    const [network = '', symbol = '', minimum = '', maximum, ...more] = item.split(':');
    const token = findToken(tokens, network, symbol);
    const [least, most] = [minimum, maximum || minimum].map((text) => parseMinor(text, token?.decimals ?? 0));
    const asset = `${network}:${symbol}`;
    if (least === undefined || most === undefined || maximum === undefined || more.length > 0 || !token)
      fault(
        'WITHDRAWAL_LIMITS must be network:SYMBOL:minimum:maximum, each amount with at most 6 decimals, of tokens that the network has.',
      );
    else if (most < least) fault(`WITHDRAWAL_LIMITS gives ${asset} a maximum below its minimum.`);
    else if (limits.has(asset)) fault(`WITHDRAWAL_LIMITS has ${asset} more than once.`);
    else
      limits.set(asset, {
        network: network as Network,
        symbol: token.symbol,
        minimum,
        ...(maximum && { maximum }),
      });
  }
  return [...limits.values()];
}

function parseDepositMinimums(
  { text, fault }: Reading,
  tokens: NetworkTokens,
): ReadonlyMap<Network, ReadonlyMap<TokenSymbol, bigint>> {
  const minimums = new Map(networks.map((network) => [network, new Map<TokenSymbol, bigint>()]));
  for (const item of itemsOf(text)) {
    const [network = '', symbol = '', amount = '', ...more] = item.split(':');
    const ofNetwork = isNetwork(network) ? minimums.get(network) : undefined;
    const token = findToken(tokens, network, symbol);
    const minimum = parseMinor(amount, token?.decimals ?? 0);
    if (!ofNetwork || !token || minimum === undefined || more.length > 0)
      fault(
        'DEPOSIT_MINIMUMS must be network:SYMBOL:minimum, each amount with at most 6 decimals, of tokens that the network has.',
      );
    else if (ofNetwork.has(token.symbol)) fault(`DEPOSIT_MINIMUMS has ${network}:${symbol} more than once.`);
    else ofNetwork.set(token.symbol, minimum);
  }
  return minimums;
}

const findToken = (tokens: NetworkTokens, network: string, symbol: string): Token | undefined =>
  isNetwork(network) ? tokens.get(network)!.find((token) => token.symbol === symbol) : undefined;
