import { randomBytes } from 'node:crypto';
import { NodeError, readFees, type Signer } from '#adapters/evm';
import { contextFor, type Deps, inTransaction } from '#context';
import { lockAccounts, releaseFunds } from '#features/ledger';
import { type AtStep, payoutJobs } from '#features/payouts';
import type { Job } from '#platform/worker/jobs';
import {
  createLanes,
  type Lane,
  tolerateNodeOutage,
  type WorkerCtx,
} from '../../src/features/payouts/lane.ts';
import {
  claimUnsent,
  insertAttempts,
  type UnsentAttempt,
} from '../../src/features/payouts/queries/attempts.ts';
import { lockSigner } from '../../src/features/payouts/queries/signers.ts';
import {
  type OpenSlot,
  selectOpenBounds,
  selectOpenSlots,
} from '../../src/features/payouts/queries/slots.ts';
import type { MutantName } from './mutants.ts';
import { createRandom } from './random.ts';

/** The jobs of a worker that does one thing wrong. */
export function mutantJobs(mutant: MutantName, { evm }: Deps, atStep: AtStep): Job<Deps>[] {
  const lane = createLanes(evm.get('polygon')!)[0]!;
  switch (mutant) {
    case 'fails on a send error':
      return replaceJob(payoutJobs(atStep), 'send', lane, sendAndBelieve);
    case 'takes a new nonce on retry':
      return replaceJob(payoutJobs(atStep), 'bump', lane, signAnew);
    case 'sends before the commit':
      return payoutJobs(sendTooEarly(lane));
    case 'leaves the key out of the mark':
      for (const signer of evm.get('polygon')!.signers) forgetKeys(signer);
      return payoutJobs(atStep);
    case 'completes at the first receipt':
    case 'believes one node':
    case 'signs on after a promotion':
      // The usual worker, with settings or an operator that are wrong: the latest block is final, one node is
      // enough, replication is synchronous.
      return payoutJobs(atStep);
  }
}

/** After a restore, a repeated request looks like a new one. */
function forgetKeys(signer: Signer): void {
  const { signTransfer } = signer;
  signer.signTransfer = (transfer) => signTransfer({ ...transfer, keyMark: randomBytes(16) });
}

type Turn = (ctx: WorkerCtx, lane: Lane) => Promise<number>;

function replaceJob(jobs: Job<Deps>[], step: string, lane: Lane, turn: Turn): Job<Deps>[] {
  const name = `payouts.${step} polygon`;
  const run = (deps: Deps) => {
    const ctx = contextFor(deps, { kind: 'worker', job: name } as const, deps.log);
    return tolerateNodeOutage(ctx, lane, () => turn(ctx, lane));
  };
  return jobs.map((job) => (job.name === name ? { ...job, run } : job));
}

const whereOf = ({ network, signer }: Lane) => ({ network: network.name, address: signer.address });

/**
 * A send that was not answered with "accepted" did not happen, it thinks: the withdrawal fails and the hold
 * is released.
 */
const sendAndBelieve: Turn = async (ctx, lane) => {
  const unsent = await claimUnsent(ctx.db, {
    ...whereOf(lane),
    resendMs: 5_000,
    limit: 200,
    isInDoubt: false,
  });
  const answers = await lane.network.node.pick().batch(unsent.map(sendOf));
  for (const [at, { nonce }] of unsent.entries()) {
    if (!(answers[at] instanceof NodeError)) continue;
    const range = { ...whereOf(lane), from: Number(nonce), below: Number(nonce) + 1, limit: 1 };
    const [slot] = await selectOpenSlots(ctx.db, range);
    if (slot) await fail(ctx, lane, slot);
  }
  return unsent.length;
};

async function fail(ctx: WorkerCtx, { network }: Lane, slot: OpenSlot): Promise<void> {
  const { userId, currency, amount, withdrawalId } = slot;
  await inTransaction(ctx, async ({ db, now }) => {
    const moved = await db.query(
      `update withdrawals set status = 'failed', error_message = 'The node refused it', updated_at = $2
       where id = $1 and status = 'processing' returning id`,
      [withdrawalId, now],
    );
    if (moved.length === 0) return;
    const [account] = await lockAccounts(db, [{ userId, network: network.name, currency }]);
    await releaseFunds(db, [{ accountId: account!.accountId, amount }]);
  });
}

/** What is not mined in time was lost, it thinks: the same transfer is signed with the next nonce. */
const signAnew: Turn = async (ctx, lane) => {
  const { network, signer } = lane;
  const bounds = await selectOpenBounds(ctx.db, network.name, signer.address);
  if (!bounds) return 0;
  const range = {
    ...whereOf(lane),
    from: Number(bounds.lowest),
    below: Number(bounds.highest) + 1,
    limit: 5,
  };
  const open = await selectOpenSlots(ctx.db, range);
  // The latest nonce of each withdrawal.
  const newest = [...new Map(open.map((slot) => [slot.withdrawalId, slot])).values()];
  const stuck = newest.filter(
    ({ transferStatus, attempts }) =>
      transferStatus !== 'mined' && attempts[0]!.signedAt.getTime() < ctx.now.getTime() - network.bumpAfterMs,
  );
  const fees = await readFees(network.node.providers, network);
  for (const slot of stuck) {
    await inTransaction(ctx, async ({ db, now }) => {
      const row = await lockSigner(db, network.name, signer.address);
      const nonce = row!.nextNonce;
      const { tokenAddress: token, toAddress: to, amount, withdrawalId: reference } = slot;
      const transfer = { token, to, amount, reference, ...fees };
      const { chainId, transferGas: gas } = network;
      const { hash, raw } = await signer.signTransfer({ ...transfer, chainId, gas, nonce: Number(nonce) });
      await db.query(
        'insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ($1, $2, $3, $4, $5)',
        [network.name, signer.address, nonce, slot.withdrawalId, now],
      );
      await insertAttempts(db, { ...whereOf(lane), now }, [{ nonce, hash, raw, ...fees }]);
      await db.query('update payout_signers set next_nonce = $1 where address = $2', [
        nonce + 1n,
        signer.address,
      ]);
    });
  }
  return stuck.length;
};

/**
 * Sends what it has just signed, inside the transaction that stores it; and often dies before that is
 * committed.
 */
function sendTooEarly({ network }: Lane): AtStep {
  const random = createRandom(String(process.pid), 'early');
  return async (step, signed) => {
    if (step !== 'sign' || !signed) return;
    await network.node.pick().batch(signed.map(sendOf));
    if (random.chance(0.5)) process.kill(process.pid, 'SIGKILL');
  };
}

const sendOf = ({ raw }: Pick<UnsentAttempt, 'raw'>) => ({
  method: 'eth_sendRawTransaction',
  params: [`0x${raw.toString('hex')}`],
});
