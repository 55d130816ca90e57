import type { Evm } from '#adapters/evm';
import { requireAmount, requireAsset } from './assets.ts';
import { ledgerErrors } from './errors.ts';
import type { Leg, LineType, OnChain } from './lines/line.ts';

/** What a line moves, as operators write it. */
export interface LegsInput {
  network: string;
  assetSent?: string;
  amountSent?: string;
  assetReceived?: string;
  amountReceived?: string;
}

export interface Legs {
  network: string;
  sent: Leg | null;
  received: Leg | null;
}

/**
 * Reads what a line of a type moves, or refuses it by the field's name; `where` is put before it, such as
 * `lines.3.`.
 */
export function readLegs(evm: Evm, type: LineType, input: LegsInput, where = ''): Legs {
  const sent = readLeg(evm, input.network, input.assetSent, input.amountSent, 'Sent', where);
  const received = readLeg(evm, input.network, input.assetReceived, input.amountReceived, 'Received', where);
  const { network } = (sent ?? received ?? requireAny(where)).asset;
  const sides = sidesOf[type];
  if (
    !sides.some(([ofSent, ofReceived]) => ofSent === (sent !== null) && ofReceived === (received !== null))
  ) {
    throw refuse(`${where}assetSent`, `and assetReceived: a line of type ${type} has ${wordsOf[type]}`);
  }
  if (sent && received && sent.leg.currency === received.leg.currency) {
    throw refuse(`${where}assetReceived`, 'must differ from assetSent on one network');
  }
  return { network, sent: sent?.leg ?? null, received: received?.leg ?? null };
}

/** Whether each side is there, for each form that a type may have. */
const sidesOf: Readonly<Record<LineType, readonly (readonly [sent: boolean, received: boolean])[]>> = {
  buy: [[false, true]],
  sell: [[true, false]],
  'swap-bridge': [
    [true, true],
    [true, false],
    [false, true],
  ],
  'transfer-token': [
    [true, false],
    [false, true],
  ],
};

const wordsOf: Readonly<Record<LineType, string>> = {
  buy: 'only what is received',
  sell: 'only what is sent',
  'swap-bridge': 'both on one network, or the one of its leg',
  'transfer-token': 'one of the two',
};

function readLeg(
  evm: Evm,
  network: string,
  currency: string | undefined,
  amountText: string | undefined,
  side: 'Sent' | 'Received',
  where: string,
) {
  if (currency === undefined && amountText === undefined) return null;
  if (currency === undefined) throw refuse(`${where}asset${side}`, `is missing beside amount${side}`);
  if (amountText === undefined) throw refuse(`${where}amount${side}`, `is missing beside asset${side}`);
  const asset = requireAsset(
    evm,
    { network, currency },
    { network: `${where}network`, currency: `${where}asset${side}` },
  );
  const amount = requireAmount(evm, amountText, asset, `${where}amount${side}`);
  return { asset, leg: { currency: asset.currency, amount } };
}

function requireAny(where: string): never {
  throw refuse(`${where}assetSent`, 'or assetReceived must be given');
}

/** Where a line is on chain, from two fields that come together. */
export function readOnChain(
  { transactionHash, logIndex }: { transactionHash?: string; logIndex?: number },
  where = '',
): OnChain | null {
  if (transactionHash === undefined && logIndex === undefined) return null;
  if (transactionHash === undefined || logIndex === undefined) {
    throw refuse(`${where}transactionHash`, 'and logIndex come together');
  }
  return { transactionHash: transactionHash.toLowerCase(), logIndex };
}

const refuse = (field: string, message: string) =>
  ledgerErrors.invalidLine({ message: `${field} ${message}`, details: [{ field, message }] });
