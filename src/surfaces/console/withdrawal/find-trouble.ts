import type { CallCommand } from '../call-command.ts';
import type { ReadFigures } from '../figures.ts';
import type { HaltedWallet } from '../wallets/help-for-halt.ts';
import type { SharedWallets } from '../wallets/share-wallets.ts';
import type { Life } from './timeline.ts';

/** Workers hold the amount of a new withdrawal within seconds. */
const queuedMaxMs = 60_000;

/** What keeps a withdrawal from moving that its own row does not say. */
export interface Trouble {
  halted: HaltedWallet[];
  /** A node of its network did not answer its last call. */
  isNodeDown: boolean;
  /** It is queued for longer than workers take. */
  isLate: boolean;
}

interface Given {
  now: Date;
  figures: ReadFigures;
  sharedWallets: SharedWallets;
  call: CallCommand;
}

/** By figures of the database, so that the page of a withdrawal without trouble waits for no node. */
export async function findTrouble(given: Given, life: Life): Promise<Trouble> {
  const { now, figures, sharedWallets, call } = given;
  const { network, status, waitingFor, createdAt } = life;
  const isLate = status === 'queued' && now.getTime() - new Date(createdAt).getTime() > queuedMaxMs;
  const mayBeHalted = isLate || status === 'processing' || waitingFor === 'halted';
  if (!mayBeHalted) return { halted: [], isNodeDown: false, isLate };
  const [halts = [], nodes = []] = await Promise.all([
    figures('causeway_payouts_halted'),
    figures('causeway_node_up'),
  ]);
  const isNodeDown = nodes.some(({ labels, value }) => labels.network === network && value === 0);
  const signer = status === 'processing' ? life.payout?.hotWallet.toLowerCase() : undefined;
  const addresses = halts
    .filter(({ labels, value }) => labels.network === network && value === 1)
    .map(({ labels }) => labels.wallet ?? '')
    .filter((address) => signer === undefined || address.toLowerCase() === signer);
  if (addresses.length === 0) return { halted: [], isNodeDown, isLate };
  const { known } = await sharedWallets.findKnown(call);
  const halted = addresses.map((address): HaltedWallet => {
    const wallet = known?.wallets.find(
      (one) => one.network === network && one.address.toLowerCase() === address.toLowerCase(),
    );
    const { haltedAt = null, haltedReason = null } = wallet ?? {};
    return { network, address: wallet?.address ?? address, haltedAt, haltedReason };
  });
  return { halted, isNodeDown, isLate };
}

/** The key of `reasons` for why the withdrawal waits. */
export function reasonOf({ status, waitingFor }: Life, { halted, isNodeDown, isLate }: Trouble): string {
  if (isLate) return halted.length > 0 ? 'queued halted' : 'queued late';
  if (status === 'processing' && halted.length > 0) return 'processing halted';
  if (status === 'processing' && isNodeDown) return 'processing node';
  return waitingFor ?? status;
}
