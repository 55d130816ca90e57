import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createHttpIssuer, type Issuer, noIssuer } from '#adapters/issuer';
import { refusalOf } from '#test/callers/tool-call';
import { makeKey, makeUser } from '#test/data/factories';
import { codeOf, useCards } from '#test/worlds/card';
import { createCards } from './create-cards.ts';
import { openAccount } from './open-account.ts';
import { readRevealKey } from './read-reveal-key.ts';
import { showCard } from './show-card.ts';

const { sandbox, proxy, viaProxy, harness, owner, as, sql, cardsAtIssuer, auditOf, readEverything } =
  await useCards();

// ## Creating

test('cards are made in an account that is opened for them, stored with their first version, and audited', async () => {
  const { userId } = owner;
  const { cards, replayed } = await createCards(as(owner), {
    userId,
    cards: [
      { nickname: '  Groceries ', spendingLimit: '250' },
      { spendingLimit: '0.5', spendingInterval: 'all-time' },
    ],
  });
  assert.equal(replayed, false);
  assert.deepEqual(
    cards.map(({ nickname, status, spendingLimit, spendingInterval, name, version }) => ({
      nickname,
      status,
      spendingLimit,
      spendingInterval,
      name,
      version,
    })),
    [
      {
        nickname: 'Groceries',
        status: 'inactive',
        spendingLimit: 25_000n,
        spendingInterval: 'monthly',
        name: 'Test Person',
        version: 1,
      },
      {
        nickname: null,
        status: 'inactive',
        spendingLimit: 50n,
        spendingInterval: 'all-time',
        name: 'Test Person',
        version: 1,
      },
    ],
  );
  const [one, other] = cards;
  assert.equal(one!.cardIssuerUserId, other!.cardIssuerUserId);
  const { id: cardId, cardIssuerUserId } = one!;
  assert.deepEqual(await showCard(as(owner), { userId, cardId, cardIssuerUserId }), one);
  const versions = await sql('select version from card_versions where card_id = any($1::text[])', [
    cards.map(({ id }) => id),
  ]);
  assert.equal(versions.length, 2);
  const rows = await auditOf(`user:${userId}`);
  assert.deepEqual(rows.map(({ action, actor_id }) => [action, actor_id]).slice(-2), [
    ['cards.open-account', owner.id],
    ['cards.create', owner.id],
  ]);
  assert.deepEqual(rows.at(-1)!.after, {
    cardIssuerUserId,
    cards: [
      {
        id: one!.id,
        nickname: 'Groceries',
        spendingLimit: '250.00',
        spendingInterval: 'monthly',
      },
      { id: other!.id, nickname: null, spendingLimit: '0.50', spendingInterval: 'all-time' },
    ],
  });
});

test('without an account named, cards are of the oldest; ten who create at once for a new user share one', async () => {
  const { userId } = owner;
  const made = await Promise.all(
    Array.from({ length: 10 }, () => createCards(as(owner), { userId, cards: [{ spendingLimit: '1' }] })),
  );
  const accounts = new Set(
    made.flatMap(({ cards }) => cards.map(({ cardIssuerUserId }) => cardIssuerUserId)),
  );
  assert.equal(accounts.size, 1);
  assert.equal((await cardsAtIssuer(userId)).length, 10);
  const second = await openAccount(as(owner), { userId });
  const { cards } = await createCards(as(owner), {
    userId,
    cards: [{ spendingLimit: '1' }],
  });
  assert.ok(accounts.has(cards[0]!.cardIssuerUserId));
  const inSecond = await createCards(as(owner), {
    userId,
    cards: [{ spendingLimit: '1', cardIssuerUserId: second.id }],
  });
  assert.equal(inSecond.cards[0]!.cardIssuerUserId, second.id);
});

test('cards of several accounts in one call are refused, and none is made', async () => {
  const { userId } = owner;
  const [one, other] = [await openAccount(as(owner), { userId }), await openAccount(as(owner), { userId })];
  for (const accounts of [
    [one.id, other.id],
    [undefined, other.id],
  ]) {
    const cards = accounts.map((cardIssuerUserId) => ({ spendingLimit: '1', cardIssuerUserId }));
    assert.equal(await codeOf(createCards(as(owner), { userId, cards })), 'several_accounts');
  }
  const same = [{ spendingLimit: '1' }, { spendingLimit: '1', cardIssuerUserId: one.id }];
  assert.equal((await createCards(as(owner), { userId, cards: same })).cards.length, 2);
  assert.equal((await cardsAtIssuer(userId)).length, 2);
});

for (const spendingLimit of [
  '',
  '-1',
  '1.001',
  '1e3',
  '1,5',
  '٣',
  ' 1',
  '10000000000000.00',
  '0x10',
  'NaN',
]) {
  test(`400 a spending limit of ${JSON.stringify(spendingLimit)}, before the issuer is asked`, async () => {
    const { userId } = owner;
    const { status, message } = await refusalOf(
      createCards(as(owner), { userId, cards: [{ spendingLimit: '1' }, { spendingLimit }] }),
    );
    assert.equal(status, 400);
    assert.match(message, /^cards\.1\.spendingLimit /);
    assert.deepEqual(proxy.passed, []);
  });
}

test('404 an unknown user, or not the key’s', async () => {
  const operator = harness.operatorContext();
  const others = [await makeUser(harness), await makeKey(harness).then(({ userId }) => ({ id: userId }))];
  for (const [ctx, userId] of [
    [operator, randomUUID()],
    [as(owner), randomUUID()],
    [as(owner), others[0]!.id],
    [as(owner), others[1]!.id],
  ] as const) {
    const made = createCards(ctx, { userId, cards: [{ spendingLimit: '1' }] });
    assert.equal(await codeOf(made), 'user_not_found');
    assert.equal(await codeOf(openAccount(ctx, { userId })), 'user_not_found');
  }
  assert.deepEqual(proxy.passed, []);
});

// ## Creating once

test('the same request again under its key gives the same cards; another one is refused', async () => {
  const { userId } = owner;
  const [idempotencyKey, cards] = ['order 7', [{ nickname: 'One', spendingLimit: '10' }]];
  const first = await createCards(as(owner), { userId, cards, idempotencyKey });
  for (const same of [
    cards,
    [{ nickname: 'One', spendingLimit: '10.00', spendingInterval: 'monthly' as const }],
  ]) {
    const again = await createCards(as(owner), { userId, cards: same, idempotencyKey });
    assert.deepEqual(again, { cards: first.cards, replayed: true, namesakes: [] });
  }
  for (const different of [
    [{ nickname: 'One', spendingLimit: '10.01' }],
    [{ nickname: 'Two', spendingLimit: '10' }],
    [...cards, ...cards],
  ]) {
    const { status, code } = await refusalOf(
      createCards(as(owner), { userId, cards: different, idempotencyKey }),
    );
    assert.deepEqual([status, code], [422, 'idempotency_key_reused']);
  }
  const stranger = await makeKey(harness);
  const theirs = await createCards(as(stranger), { userId: stranger.userId, cards, idempotencyKey });
  assert.equal(theirs.replayed, false, 'a key is its user’s');
  assert.equal((await cardsAtIssuer(userId)).length, 1);
  const rows = await auditOf(`user:${userId}`);
  assert.equal(rows.filter(({ action }) => action === 'cards.create').length, 1);
  const partner = { ...owner, partnerId: randomUUID() };
  const ofAnother = await createCards(as(partner), { userId, cards, idempotencyKey });
  assert.ok(!ofAnother.replayed && ofAnother.cards[0]!.id !== first.cards[0]!.id, 'a key is its partner’s');
});

test('sixteen at once under one key: one set of cards, of which one answer is the first', async () => {
  const { userId } = owner;
  const request = {
    userId,
    idempotencyKey: randomUUID(),
    cards: [{ spendingLimit: '1' }, { spendingLimit: '2' }],
  };
  const answers = await Promise.all(Array.from({ length: 16 }, () => createCards(as(owner), request)));
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  for (const { cards } of answers) assert.deepEqual(cards, answers[0]!.cards);
  assert.equal((await cardsAtIssuer(userId)).length, 2);
  const rows = await auditOf(`user:${userId}`);
  assert.equal(rows.filter(({ action }) => action === 'cards.create').length, 1);
});

test('503 every answer is lost; later the same request has the cards that were made, and no others', async () => {
  const { userId } = owner;
  await openAccount(as(owner), { userId });
  const request = {
    userId,
    idempotencyKey: randomUUID(),
    cards: [{ spendingLimit: '1' }, { spendingLimit: '2' }],
  };
  proxy.passage = () => 'answer lost';
  const { status, code, message } = await refusalOf(createCards(as(owner), request));
  assert.deepEqual([status, code], [503, 'issuer_unavailable']);
  assert.match(message, /same idempotencyKey/);
  assert.deepEqual(await sql('select id from cards where user_id = $1', [userId]), []);
  const made = await cardsAtIssuer(userId);
  assert.equal(made.length, 2);

  proxy.passage = () => 'whole';
  const { cards, replayed } = await createCards(as(owner), request);
  assert.deepEqual([cards.map(({ id }) => id).sort(), replayed], [made.sort(), false]);
  assert.equal((await createCards(as(owner), request)).replayed, true);
});

test('one lost answer is not even noticed', async () => {
  const { userId } = owner;
  let lost = 0;
  proxy.passage = (request) => (request === 'POST /v1/cards' && lost++ === 0 ? 'answer lost' : 'whole');
  await createCards(as(owner), { userId, cards: [{ spendingLimit: '1' }] });
  assert.equal(lost, 2);
  assert.equal((await cardsAtIssuer(userId)).length, 1);
});

test('a process that dies between the answer and the commit leaves a request that any other can finish', async () => {
  const { userId } = owner;
  await openAccount(as(owner), { userId });
  const request = { userId, idempotencyKey: randomUUID(), cards: [{ spendingLimit: '1' }] };
  const dying = as(owner);
  dying.db = {
    query: dying.db.query,
    transaction: () => Promise.reject(new Error('the process died here')),
  };
  await assert.rejects(createCards(dying, request), /the process died here/);
  const made = await cardsAtIssuer(userId);
  assert.equal(made.length, 1);
  // Meanwhile the user's name changes and the issuer restarts.
  await sql(`update users set given_name = 'Changed' where id = $1`, [userId]);
  await sandbox.crash();
  const { cards, replayed } = await createCards(as(owner), request);
  assert.deepEqual([cards.map(({ id }) => id), cards[0]!.name, replayed], [made, 'Test Person', false]);
  assert.deepEqual(await cardsAtIssuer(userId), made);
});

test('of two first requests under one key, the one that is noted decides what is asked', async () => {
  const { userId } = owner;
  await openAccount(as(owner), { userId });
  const request = { userId, idempotencyKey: randomUUID(), cards: [{ spendingLimit: '1' }] };
  const late = as(owner);
  const { query } = late.db;
  let isOvertaken = false;
  late.db = {
    transaction: late.db.transaction,
    query: async (text, values) => {
      if (text.includes('insert into card_requests') && !isOvertaken) {
        isOvertaken = true;
        const [, , fingerprint, asked, now] = values!;
        const other = String(asked).replace('Test Person', 'Named Before');
        await query(text, [userId, `${owner.partnerId} ${request.idempotencyKey}`, fingerprint, other, now]);
      }
      return query(text, values);
    },
  };
  const { cards } = await createCards(late, request);
  assert.deepEqual([isOvertaken, cards[0]!.name], [true, 'Named Before']);
});

test('503 the issuer is late, unreachable or not configured: only the request is stored', async () => {
  const { userId } = owner;
  await openAccount(as(owner), { userId });
  const cards = [{ spendingLimit: '1' }];
  proxy.passage = () => ({ lateMs: 1_300 });
  const impatient = createHttpIssuer({ url: proxy.url, token: sandbox.token, timeoutMs: 1_000 });
  assert.equal(await codeOf(createCards(as(owner, impatient), { userId, cards })), 'issuer_unavailable');
  proxy.passage = () => 'request lost';
  const idempotencyKey = randomUUID();
  const before = await readEverything();
  for (const issuer of [viaProxy, noIssuer]) {
    assert.equal(await codeOf(createCards(as(owner, issuer), { userId, cards })), 'issuer_unavailable');
    assert.equal(await codeOf(openAccount(as(owner, issuer), { userId })), 'issuer_unavailable');
    assert.equal(await codeOf(readRevealKey(as(owner, issuer))), 'issuer_unavailable');
  }
  assert.deepEqual(await readEverything(), before);
  assert.equal(await codeOf(createCards(as(owner), { userId, cards, idempotencyKey })), 'issuer_unavailable');
  proxy.passage = () => 'whole';
  assert.equal((await createCards(as(owner), { userId, cards, idempotencyKey })).replayed, false);
});

test('a request that the issuer refuses does not use its key up', async () => {
  const { userId } = owner;
  const refusing: Issuer = {
    ...viaProxy,
    createCards: () => viaProxy.createCards({ ...badCards, idempotencyKey: randomUUID() }),
  };
  const account = await openAccount(as(owner), { userId });
  const badCards = {
    cardIssuerUserId: account.id,
    cards: [{ name: '', nickname: null, spendingLimit: '1', spendingInterval: 'monthly' as const }],
  };
  const request = { userId, idempotencyKey: randomUUID(), cards: [{ spendingLimit: '1' }] };
  const { status, code, message } = await refusalOf(createCards(as(owner, refusing), request));
  assert.deepEqual([status, code], [409, 'issuer_refused']);
  assert.match(message, /^The card issuer refused: /);
  const other = { ...request, cards: [{ spendingLimit: '2' }] };
  assert.equal((await createCards(as(owner), other)).replayed, false);
});
