import type { CallCommand } from '../call-command.ts';
import type { ReadFigures } from '../figures.ts';
import type { SharedNodes, SharedWallets } from '../share-answer.ts';
import type { HaltedWallet } from '../wallets/help-for-halt.ts';
import type { Life } from './timeline.ts';

/** Workers hold the amount of a new withdrawal within seconds, and most are final in a minute. */
const [queuedMaxMs, processingMaxMs] = [60_000, 60_000];

/** What keeps a withdrawal from moving that its own row does not say. */
export interface Trouble {
  halted: HaltedWallet[];
  /** A node of its network did not answer its last call. */
  isNodeDown: boolean;
  /** Nodes contradict each other about the first payout in line of its wallet. */
  isContradicted: boolean;
  /** It is queued for longer than workers take. */
  isLate: boolean;
}

interface Given {
  now: Date;
  figures: ReadFigures;
  sharedWallets: SharedWallets;
  sharedNodes: SharedNodes;
  call: CallCommand;
}

/** By figures of the database, so that the page of a withdrawal without trouble waits for no node. */
export async function findTrouble(given: Given, life: Life): Promise<Trouble> {
  const { now, figures, sharedWallets, call } = given;
  const { network, status, waitingFor, createdAt } = life;
  const isLate = status === 'queued' && now.getTime() - new Date(createdAt).getTime() > queuedMaxMs;
  const mayBeHalted = isLate || status === 'processing' || waitingFor === 'halted';
  if (!mayBeHalted) return { halted: [], isNodeDown: false, isContradicted: false, isLate };
  const [halts = [], nodes = [], isContradicted] = await Promise.all([
    figures('causeway_payouts_halted'),
    figures('causeway_node_up'),
    areContradicting(given, life),
  ]);
  const isNodeDown = nodes.some(({ labels, value }) => labels.network === network && value === 0);
  const signer = status === 'processing' ? life.payout?.hotWallet.toLowerCase() : undefined;
  const addresses = halts
    .filter(({ labels, value }) => labels.network === network && value === 1)
    .map(({ labels }) => labels.wallet ?? '')
    .filter((address) => signer === undefined || address.toLowerCase() === signer);
  if (addresses.length === 0) return { halted: [], isNodeDown, isContradicted, isLate };
  const { known } = await sharedWallets.findKnown(call);
  const halted = addresses.map((address): HaltedWallet => {
    const wallet = known?.wallets.find(
      (one) => one.network === network && one.address.toLowerCase() === address.toLowerCase(),
    );
    const { haltedAt = null, haltedReason = null } = wallet ?? {};
    return { network, address: wallet?.address ?? address, haltedAt, haltedReason };
  });
  return { halted, isNodeDown, isContradicted, isLate };
}

/** Asks nodes only about a payout that takes long. */
async function areContradicting(
  { now, sharedNodes, call }: Given,
  { status, network, payout }: Life,
): Promise<boolean> {
  if (status !== 'processing' || !payout) return false;
  if (now.getTime() - new Date(payout.openedAt).getTime() < processingMaxMs) return false;
  const { known } = await sharedNodes.findKnown(call);
  const own = known?.networks.find((one) => one.network === network)?.payouts ?? [];
  return own.some(
    ({ wallet, isContradicted }) => isContradicted && wallet.toLowerCase() === payout.hotWallet.toLowerCase(),
  );
}

/** The key of `reasons` for why the withdrawal waits. */
export function reasonOf(
  { status, waitingFor }: Life,
  { halted, isNodeDown, isContradicted, isLate }: Trouble,
): string {
  if (isLate) return halted.length > 0 ? 'queued halted' : 'queued late';
  if (status === 'processing' && halted.length > 0) return 'processing halted';
  if (status === 'processing' && isContradicted) return 'processing contradicted';
  if (status === 'processing' && isNodeDown) return 'processing node';
  return waitingFor ?? status;
}
