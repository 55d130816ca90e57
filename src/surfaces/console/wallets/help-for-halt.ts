import { formAddress } from '../links.ts';
import type { Texts } from '../texts/index.ts';

/** A hot wallet that signs and sends nothing until an operator ends its halt. */
export interface HaltedWallet {
  network: string;
  address: string;
  haltedAt: string | null;
  /** Null if it could not be read. */
  haltedReason: string | null;
}

type HaltCommand = keyof Texts['halts']['commands'];

/** Where a person deals with a halt. */
export interface Help {
  label: string;
  address: string;
  /** The command that the page runs; undefined for a page that everybody may open. */
  command?: HaltCommand;
}

/** Commands for reasons that name none. */
const implied: readonly (readonly [part: string, commands: readonly HaltCommand[]])[] = [
  ['and this database knows', ['wallets.recover']],
  ['by a transaction that is not ours', ['wallets.accept-foreign', 'wallets.recover']],
];

/** What ends the halt of a wallet, in the order in which it is done. */
export function helpForHalt({ network, address, haltedReason }: HaltedWallet, { halts }: Texts): Help[] {
  const reason = haltedReason ?? '';
  const commands = commandsFor(reason).map((command) => ({
    label: halts.commands[command],
    address: formAddress(command, { network, address, ...fieldsOf(command, reason) }),
    command,
  }));
  const isShort = reason.startsWith('the treasury lacks ');
  return isShort ? [{ label: halts.reconcile, address: '/console/reconcile' }, ...commands] : commands;
}

/** Those that the reason names, in its order; a halt that needs no other command ends with `resume`. */
function commandsFor(reason: string): HaltCommand[] {
  // The next payout takes the nonce. Filling it halts the other wallets of the network.
  if (reason.includes(' waits for nonce ')) return ['wallets.resume', 'wallets.recover'];
  const named = [...reason.matchAll(/\bwallets (recover|resend|accept-outcome|accept-foreign)\b/g)].map(
    ([, name]) => `wallets.${name}` as HaltCommand,
  );
  const known = implied.find(([part]) => reason.includes(part))?.[1] ?? [];
  const first = named.length > 0 ? named : reason.includes('wallets resume') ? [] : known;
  return [...new Set(first), 'wallets.resume'];
}

/** What the reason says about the input of the command. */
function fieldsOf(command: HaltCommand, reason: string): Record<string, string> {
  const [, fromNonce] = /--from-nonce (\d+)/.exec(reason) ?? [];
  const [transactionHash] = /0x[0-9a-f]{64}\b/.exec(reason) ?? [];
  if (command === 'wallets.resend' && fromNonce !== undefined) return { fromNonce };
  if (command === 'wallets.accept-outcome' && transactionHash !== undefined) return { transactionHash };
  return {};
}
