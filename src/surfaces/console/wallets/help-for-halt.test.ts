import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from '../texts/en.ts';
import { helpForHalt } from './help-for-halt.ts';

const wallet = { network: 'polygon', address: `0x${'Ab'.repeat(20)}`, haltedAt: '2026-01-01T00:00:00.000Z' };
const hash = `0x${'ce'.repeat(32)}`;

/** Commands and the fields that are filled in beside the wallet, or addresses of pages. */
const helpFor = (haltedReason: string | null) =>
  helpForHalt({ ...wallet, haltedReason }, en).map(({ command, address }) => {
    if (command === undefined) return address;
    const {
      network,
      address: filled,
      ...fields
    } = Object.fromEntries(new URL(address, 'http://console.invalid').searchParams);
    assert.deepEqual([network, filled], [wallet.network, wallet.address]);
    return Object.keys(fields).length === 0 ? command : [command, fields];
  });

test('the button of a halted wallet opens the command that its reason asks for, with its fields', () => {
  for (const [reason, help] of [
    ['Ticket 4711', ['wallets.resume']],
    [null, ['wallets.resume']],
    ['the stored bytes of 0x1 are not what was signed', ['wallets.resume']],
    [
      'the nodes of polygon do not agree about nonce 1: x. Take the node out, then run wallets resume',
      ['wallets.resume'],
    ],
    [
      'the database server changed from a/1 to a/2, by a promotion, a restore or a move, and may have lost signed transactions: wait a minute and run wallets recover',
      ['wallets.recover', 'wallets.resume'],
    ],
    [
      'the hot wallet has sent 9 transactions and this database knows 7: the database was restored from an older backup, or the key is used elsewhere',
      ['wallets.recover', 'wallets.resume'],
    ],
    [
      '2 payments on chain for withdrawals that this database does not have: let partners repeat their requests, then run wallets recover again, with --accept for each that remains',
      ['wallets.recover', 'wallets.resume'],
    ],
    [
      'nonce 7 was used on chain by a transaction that is not ours',
      ['wallets.accept-foreign', 'wallets.recover', 'wallets.resume'],
    ],
    [
      'nonce 7, which settled withdrawal x as completed, was used again by a transaction that is not ours after the chain was reorganised. Correct the books with ledger post, then run wallets resume',
      ['wallets.resume'],
    ],
    [
      `a payout that was final is no longer on chain. Run wallets resend --network polygon --address ${wallet.address} --from-nonce 41, which sends the stored bytes again, and wallets resume when they are mined`,
      [['wallets.resend', { fromNonce: '41' }], 'wallets.resume'],
    ],
    [
      `what nonce 4 moved is not what was signed for withdrawal x: look at transaction ${hash}, run wallets accept-outcome for it, then wallets resume`,
      [['wallets.accept-outcome', { transactionHash: hash }], 'wallets.resume'],
    ],
    [
      'nonce 5 (withdrawal x) waits for nonce 4, which no transaction on chain has used. It was signed 30 minutes ago. Run wallets resume, and the next payout that is signed takes nonce 4. If no other payout comes, run wallets recover with --fill-nonces 1, which halts every wallet of the network until it is recovered',
      ['wallets.resume', 'wallets.recover'],
    ],
    ['the treasury lacks 5 USDT: see "The treasury"', ['/console/reconcile', 'wallets.resume']],
  ] as const)
    assert.deepEqual(helpFor(reason), help, String(reason));
});
