import { ConfigFault } from '#config/setting';
import type { Ctx } from '#context';
import type { Command } from '#platform/commands/command';

/** What `default` stands for in `FOUR_EYES_COMMANDS`: commands that make or release money or grant access. */
export const defaultFourEyes: readonly string[] = [
  'ledger.post',
  'ledger.fund',
  'ledger.settle',
  'wallets.resume',
  'wallets.recover',
  'wallets.accept-foreign',
  'wallets.accept-outcome',
  'payouts.resume',
  'people.invite',
  'people.reinvite',
  'people.update',
  'users.add-wallet',
  'users.resume',
  'partners.resume',
  'addresses.add',
  'keys.issue',
  'keys.update',
  'keys.rotate',
  'keys.resume',
  'integrations.register',
  'integrations.rotate-key',
  'integrations.approve',
];

export interface FourEyesOptions {
  /** Names of commands, or `default`. */
  fourEyesCommands?: readonly string[];
  /** Adds `payouts.resume`. */
  twoPersonResume?: boolean;
}

/** The commands that need a second operator. A name that cannot be one is a fault of the settings. */
export function chooseFourEyes(
  commands: readonly Command<Ctx>[],
  { fourEyesCommands = [], twoPersonResume = false }: FourEyesOptions,
): ReadonlySet<string> {
  const allowed = new Set(commands.filter(canWait).map(({ name }) => name));
  const wrong = fourEyesCommands.filter((name) => name !== 'default' && !allowed.has(name));
  if (wrong.length > 0) {
    throw new ConfigFault([
      `FOUR_EYES_COMMANDS must be default or commands that change something here: not ${wrong.join(', ')}.`,
    ]);
  }
  return new Set([
    ...fourEyesCommands.flatMap((name) => (name === 'default' ? defaultFourEyes : [name])),
    ...(twoPersonResume ? ['payouts.resume'] : []),
  ]);
}

/**
 * Commands of cards change something at the issuer, and `wallets.resend` sends to nodes: neither is undone if
 * the decision is not committed. The others change this database only.
 */
const canWait = ({ name, changes }: Command<Ctx>) =>
  changes && !name.startsWith('cards.') && !name.startsWith('approvals.') && name !== 'wallets.resend';
