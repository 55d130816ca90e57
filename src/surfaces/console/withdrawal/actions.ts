import { answerAddress, formAddress } from '../links.ts';
import { nodesAddress } from '../nodes/shown-network.ts';
import type { Texts } from '../texts/index.ts';
import type { Trouble } from './find-trouble.ts';
import type { Life } from './timeline.ts';

export interface Action {
  label: string;
  address: string;
  /** The command that the page runs; undefined for a page that everybody may open. */
  command?: string;
}

/** What helps a withdrawal that waits, most useful first. */
export function actionsFor(
  life: Life,
  { isContradicted, isNodeDown }: Pick<Trouble, 'isContradicted' | 'isNodeDown'>,
  words: Texts,
): Action[] {
  const { id, status, waitingFor } = life;
  if (status === 'processing' && (isContradicted || isNodeDown)) return [openNodes(life, words)];
  if (status !== 'queued' && status !== 'pending') return [];
  const cancel: Action = {
    label: words.withdrawal.cancel,
    address: formAddress('withdrawals.cancel', { withdrawalId: id }),
    command: 'withdrawals.cancel',
  };
  return [...helpFor(life, waitingFor, words), cancel];
}

const openNodes = ({ network }: Life, { nodes }: Texts): Action => ({
  label: nodes.open,
  address: nodesAddress(network),
});

function helpFor(life: Life, waitingFor: string | null, words: Texts): Action[] {
  const { userId, partnerId, keyId } = life;
  const resume = (command: string, fields: Record<string, string>): Action[] => [
    { label: words.resume.label, address: formAddress(command, fields), command },
  ];
  switch (waitingFor) {
    case null:
    case 'replication':
    case 'found payment':
      return [];
    case 'approval':
      return [{ label: words.approvals.title, address: '/console/approvals' }];
    case 'node':
    case 'disagreement':
      return [openNodes(life, words)];
    case 'user suspended':
      return resume('users.resume', { userId });
    case 'partner suspended':
      return resume('partners.resume', { partnerId });
    case 'key suspended':
      return resume('keys.resume', { keyId });
    case 'paused':
      return [{ label: words.resume.label, address: answerAddress('payouts.list-pauses') }];
  }
  return [{ label: words.withdrawal.wallet, address: '/console/wallets' }];
}
