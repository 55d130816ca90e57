// A reorganisation can remove final payments: the lane halts, and an operator sends the stored bytes again.
import { nameOf, type Turn } from './rules.ts';
import { At, Gone, isHalted, Network, nothing, Status, type World } from './world.ts';

/** A settled nonce that the chain lacks stops the lane; a mutant never looks, another pays once more. */
export function recheckFinal({ world, departure, step }: Turn): void {
  if (world.gone === Gone.none || isHalted(world)) return;
  if (departure === 'never checks final payouts again') return;
  const number = goneFrom(world);
  if (number === -1) return;
  const { withdrawal } = world.lane[number]!;
  if (departure !== 'pays again what is gone') {
    step(`sees that nonce ${number} is gone, and halts the lane`, (next) => {
      next.gone = Gone.halted;
    });
  } else if (world.statuses[withdrawal] === Status.completed) {
    step(`sees that nonce ${number} is gone, and pays ${nameOf(withdrawal)} again`, (next) => {
      next.statuses[withdrawal] = Status.pending;
      next.held += 1;
      next.spent -= 1;
    });
  }
}

export function resendFinal({ world, step }: Turn): void {
  if (world.gone !== Gone.halted) return;
  world.lane.forEach((nonce, number) => {
    const { settledBy, attempts } = nonce;
    if (!isGone(nonce) || attempts[settledBy]!.network === Network.inMempool) return;
    step(`the operator sends the stored bytes of nonce ${number} again`, (next) => {
      next.lane[number]!.attempts[settledBy]!.network = Network.inMempool;
    });
  });
}

export function resume({ world, step }: Turn): void {
  if (world.gone !== Gone.halted || goneFrom(world) !== -1) return;
  if (world.workers.some(({ at }) => at === At.settling)) return;
  step('the operator resumes the wallet', (next) => {
    next.gone = Gone.resumed;
  });
}

const goneFrom = ({ lane }: World) => lane.findIndex(isGone);

const isGone = ({ mined, settledBy }: World['lane'][number]) => mined === nothing && settledBy !== nothing;
