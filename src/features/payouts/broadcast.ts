import { hashOf, isKnownTransaction, NodeError } from '#adapters/evm';
import { lacksStandbys } from '#platform/db/confirm';
import { checkLane, haltLane } from './check-lane.ts';
import { haltReasons } from './halt-reasons.ts';
import { type Lane, tolerateNodeOutage, type WorkerCtx } from './lane.ts';
import { claimUnsent, type UnsentAttempt, updateAnswers, updateNotSent } from './queries/attempts.ts';
import { selectOpenBounds } from './queries/slots.ts';
import { isInDoubt } from './server.ts';
import { resendMs, turnMax } from './timing.ts';

/**
 * Sends the stored bytes of signed payouts that are in no block to every node, and again after a while. A
 * node's answer is stored for operators; it never ends or changes a payout.
 */
export function broadcast(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return tolerateNodeOutage(ctx, lane, async () => {
    const { network, signer } = lane;
    const where = { network: network.name, address: signer.address };
    if (!(await selectOpenBounds(ctx.db, network.name, signer.address))) return 0;
    const check = await checkLane(ctx, lane, network.node.pick());
    if ('refused' in check) return 0;
    const isDoubted = await isInDoubt(ctx, network.name, lane);
    const unsent = await claimUnsent(ctx.db, { ...where, resendMs, limit: turnMax, isInDoubt: isDoubted });
    if (unsent.length === 0) return 0;
    const changed = unsent.find(({ hash, raw }) => hashOf(raw) !== hash);
    if (changed) {
      await updateNotSent(ctx.db, unsent);
      await haltLane(ctx, lane, haltReasons.bytesChanged(changed.hash));
      return 0;
    }
    // The nonce was used before we sent anything, so another sender has the key and may have paid this
    // already.
    const taken = unsent.find(({ isFirst, nonce }) => isFirst && nonce < BigInt(check.used));
    if (taken) {
      await updateNotSent(ctx.db, unsent);
      await haltLane(ctx, lane, haltReasons.takenBeforeSent(taken.nonce), {
        isInDoubt: true,
        slot: { nonce: taken.nonce, withdrawalId: taken.withdrawalId },
      });
      return 0;
    }
    // The commit of what was signed may have been the last one that waited for a standby.
    if (await lacksStandbys(ctx)) {
      await updateNotSent(ctx.db, unsent);
      return 0;
    }
    const answers = await sendToAll(lane, unsent);
    await lane.atStep('send');
    await updateAnswers(ctx.db, answers, ctx.now);
    return unsent.length;
  });
}

/** A node that is down must not delay sending to the others. */
const sendTimeoutMs = 3_000;

async function sendToAll({ network }: Lane, unsent: readonly UnsentAttempt[]) {
  const calls = unsent.map(({ raw }) => ({
    method: 'eth_sendRawTransaction',
    params: [`0x${raw.toString('hex')}`],
  }));
  const byProvider = await Promise.all(
    network.node.providers.map((provider) => provider.batch(calls, sendTimeoutMs)),
  );
  return unsent.map(({ hash }, at) => {
    const answers = byProvider.map((answers) => answers[at]);
    const isKnown = answers.some((answer) => !(answer instanceof NodeError) || isKnownTransaction(answer));
    return { hash, isKnown, answer: answers.map(wordsOf).join('; ') };
  });
}

const wordsOf = (answer: unknown) => (answer instanceof NodeError ? answer.message : 'accepted');
