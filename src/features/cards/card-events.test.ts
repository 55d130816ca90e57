import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IssuerTransaction } from '#adapters/issuer';
import { makeKey } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { useHarness } from '#test/harness';
import { makeCardOwner, toCard, toTransaction } from '#test/models/card-model';
import { applyEvents } from './apply-events.ts';

const harness = useHarness();

async function makeOwner() {
  const key = await makeKey(harness);
  const owner = await makeCardOwner(harness, { userId: key.userId });
  const events = async () => {
    await numberAll(harness);
    const { body } = await harness.request('GET', '/api/events?limit=1000', { token: key.token });
    return body.events.map(
      ({ type, data }: { type: string; data: { object: object; previousStatus?: string } }) => ({
        type,
        ...data,
      }),
    );
  };
  return { key, owner, events };
}

for (const [what, states, expected] of [
  [
    'a payment that is booked',
    [{ status: 'pending' }, { status: 'settled' }],
    [['card_transaction.authorized'], ['card_transaction.settled', 'pending']],
  ],
  ['a payment that is declined', [{ status: 'declined' }], [['card_transaction.declined']]],
  [
    'a payment that is released',
    [{ status: 'pending' }, { status: 'reversed' }],
    [['card_transaction.authorized'], ['card_transaction.reversed', 'pending']],
  ],
  [
    'a refund that is announced and booked',
    [
      { type: 'refund', status: 'pending' },
      { type: 'refund', status: 'settled' },
    ],
    [['card_transaction.refunded', 'pending']],
  ],
  [
    'an amount that changes while it is pending',
    [{ status: 'pending' }, { status: 'pending', amount: '2.00' }],
    [['card_transaction.authorized']],
  ],
] as const) {
  test(`${what}: an event for each status, with the transaction as it was`, async () => {
    const { owner, events } = await makeOwner();
    const first = toTransaction(owner);
    const versions = states.map(
      (fields, at): IssuerTransaction => ({ ...first, version: at + 1, ...fields }),
    );
    // All changes are recorded before the first is numbered.
    for (const data of versions) await applyEvents(harness.deps, [{ type: 'transaction.changed', data }]);
    const seen = (await events()).filter(({ type }: { type: string }) =>
      type.startsWith('card_transaction.'),
    );
    assert.deepEqual(
      seen.map(({ type, previousStatus }: { type: string; previousStatus?: string }) =>
        previousStatus === undefined ? [type] : [type, previousStatus],
      ),
      expected,
    );
    const statusOf = {
      authorized: 'pending',
      settled: 'settled',
      refunded: 'settled',
      declined: 'declined',
      reversed: 'reversed',
    };
    for (const { type, object } of seen) {
      assert.equal(object.transaction.status, statusOf[type.split('.')[1] as keyof typeof statusOf]);
    }
  });
}

test('a card has events for what partners can see of it, each as the summary had it then', async () => {
  const { key, owner, events } = await makeOwner();
  const [cardId] = owner.cardIds;
  const change = (version: number, fields: object) =>
    applyEvents(harness.deps, [
      { type: 'card.changed', data: { ...toCard(owner.cardIssuerUserId), id: cardId!, version, ...fields } },
    ]);
  await change(2, { nickname: 'Travel' });
  await change(3, { nickname: 'Travel', name: 'Another Name' });
  await change(4, { nickname: 'Travel', status: 'locked' });
  const seen = (await events()).filter(({ type }: { type: string }) => type.startsWith('card.'));
  assert.deepEqual(
    seen.map(
      ({
        type,
        previousStatus,
        object,
      }: {
        type: string;
        previousStatus?: string;
        object: { nickname: string };
      }) => [type, previousStatus, object.nickname],
    ),
    [
      ['card.created', undefined, null],
      ['card.updated', undefined, 'Travel'],
      ['card.updated', 'active', 'Travel'],
    ],
  );
  const { body } = await harness.request('GET', '/api/history?resource=cards&feature=cards-summary', {
    token: key.token,
  });
  assert.deepEqual(seen.at(-1).object, body.userCardsSnapshot[0]);
});
