import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { cardStatuses, type IssuerCard } from '#adapters/issuer';
import { ask } from '#test/harness';
import { newKey, refused, terms, useIssuerAccounts } from '#test/outside/issuer-accounts';

const { server, issuer, makeAccount, makeCard, allEvents, raw } = await useIssuerAccounts();

describe('accounts', () => {
  test('an account is made for a reference, with an address for its collateral', async () => {
    const reference = randomUUID();
    const user = await issuer.createUser({ reference, idempotencyKey: newKey() });
    assert.equal(user.reference, reference);
    assert.match(user.id, /^ciu_[0-9a-f]{24}$/);
    assert.match(user.collateralAddress, /^0x[0-9a-f]{40}$/);
    assert.ok(Math.abs(Date.parse(user.createdAt) - Date.now()) < 10_000);
    const told = (await allEvents()).filter(({ data }) => data.id === user.id);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      [['user.created', user]],
    );
  });

  test('the same key again has the same answer and changes nothing', async () => {
    const request = { reference: randomUUID(), idempotencyKey: newKey() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => issuer.createUser(request)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const told = (await allEvents()).filter(({ data }) => data.id === answers[0]!.id);
    assert.equal(told.length, 1);
  });

  test('key-reused: another request under the same key, on any path', async () => {
    const idempotencyKey = newKey();
    await issuer.createUser({ reference: 'one', idempotencyKey });
    await refused(issuer.createUser({ reference: 'two', idempotencyKey }), 'key-reused');
    const cardIssuerUserId = await makeAccount();
    await refused(issuer.createCards({ cardIssuerUserId, cards: [terms], idempotencyKey }), 'key-reused');
  });

  test('a body is the same whatever order its fields have', async () => {
    const headers = { 'idempotency-key': newKey() };
    const cardIssuerUserId = await makeAccount();
    const [a, b] = [
      `{"cardIssuerUserId":"${cardIssuerUserId}","kind":"collateral-deposit","amount":"1.00"}`,
      `{ "amount": "1.00", "kind": "collateral-deposit", "cardIssuerUserId": "${cardIssuerUserId}" }`,
    ];
    const first = await raw('POST', '/v1/simulations', a, headers);
    assert.equal(first.status, 200);
    assert.deepEqual((await raw('POST', '/v1/simulations', b, headers)).body, first.body);
  });
});

describe('cards', () => {
  test('a new card is inactive, version 1, and has the last four digits of a number that stays in the vault', async () => {
    const cardIssuerUserId = await makeAccount();
    const asked = [
      terms,
      { ...terms, nickname: null, spendingLimit: '0.00', spendingInterval: 'all-time' },
    ] as const;
    const cards = await issuer.createCards({ cardIssuerUserId, cards: asked, idempotencyKey: newKey() });
    assert.equal(cards.length, 2);
    for (const [at, card] of cards.entries()) {
      const { id, lastFourDigits, createdAt, updatedAt, ...rest } = card;
      const known = { cardIssuerUserId, version: 1, status: 'inactive', kind: 'virtual', statusReason: null };
      assert.deepEqual(rest, { ...asked[at], ...known });
      assert.match(lastFourDigits, /^[0-9]{4}$/);
      assert.equal(createdAt, updatedAt);
      assert.deepEqual(await issuer.readCard(id), card);
    }
    assert.notEqual(cards[0]!.id, cards[1]!.id);
    const told = (await allEvents()).filter(({ data }) => cards.some(({ id }) => id === data.id));
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      cards.map((card) => ['card.changed', card]),
    );
    const numbers = await server.vaultNumbers();
    for (const { lastFourDigits } of cards) {
      assert.ok(numbers.some((number) => number.endsWith(lastFourDigits)));
    }
  });

  test('the same key again, ten times at once: the same cards, and no number more', async () => {
    const numbersBefore = (await server.vaultNumbers()).length;
    const request = {
      cardIssuerUserId: await makeAccount(),
      cards: [terms, terms],
      idempotencyKey: newKey(),
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => issuer.createCards(request)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal((await server.vaultNumbers()).length, numbersBefore + 2);
  });

  test('all or none: one card that does not fit, or an account that is not there', async () => {
    const numbersBefore = (await server.vaultNumbers()).length;
    const eventsBefore = (await allEvents()).length;
    const cards = [terms, { ...terms, spendingLimit: '5' }];
    const idempotencyKey = newKey();
    const cardIssuerUserId = await makeAccount();
    await refused(
      issuer.createCards({ cardIssuerUserId, cards, idempotencyKey }),
      'refused',
      /cards\.1\.spendingLimit/,
    );
    await refused(
      issuer.createCards({ cardIssuerUserId: 'ciu_none', cards: [terms], idempotencyKey }),
      'not-found',
    );
    assert.equal((await server.vaultNumbers()).length, numbersBefore);
    assert.equal((await allEvents()).length, eventsBefore + 1, 'only the account');
    // A refusal is not kept: the key is still free.
    assert.equal((await issuer.createCards({ cardIssuerUserId, cards: [terms], idempotencyKey })).length, 1);
  });

  test('a card that is not there', async () => {
    assert.equal(await issuer.readCard('card_none'), undefined);
    await refused(
      issuer.updateCard({ cardId: 'card_none', status: 'active', idempotencyKey: newKey() }),
      'not-found',
    );
  });

  const legal = new Set([
    'inactive active',
    'inactive canceled',
    'active locked',
    'active canceled',
    'locked active',
    'locked canceled',
  ]);
  for (const from of cardStatuses) {
    for (const to of cardStatuses.filter((to) => to !== from)) {
      const isLegal = legal.has(`${from} ${to}`);
      test(`${isLegal ? 'moves' : 'refused'}: ${from} → ${to}`, async () => {
        const card = await makeCard({ status: from });
        const update = issuer.updateCard({
          cardId: card.id,
          status: to,
          reason: 'asked',
          idempotencyKey: newKey(),
        });
        if (!isLegal) {
          await refused(update, 'refused', /^A (canceled card|card that is) /);
          assert.deepEqual(await issuer.readCard(card.id), card);
          return;
        }
        const changed = await update;
        const { updatedAt } = changed;
        const version = card.version + 1;
        assert.deepEqual(changed, { ...card, status: to, statusReason: 'asked', version, updatedAt });
        assert.ok(updatedAt >= card.updatedAt);
        assert.deepEqual(await issuer.readCard(card.id), changed);
      });
    }
  }

  test('every state has an event: versions from 1 without gaps, each with the whole card', async () => {
    const card = await makeCard({ status: 'locked' });
    await issuer.updateCard({
      cardId: card.id,
      nickname: null,
      spendingLimit: '1.00',
      idempotencyKey: newKey(),
    });
    await issuer.updateCard({ cardId: card.id, spendingInterval: 'daily', idempotencyKey: newKey() });
    const told = (await allEvents()).filter(({ data }) => data.id === card.id);
    const states = told.map(({ data }) => data as IssuerCard);
    assert.deepEqual(
      states.map(({ version, status, nickname, spendingLimit, spendingInterval }) => [
        version,
        status,
        nickname,
        spendingLimit,
        spendingInterval,
      ]),
      [
        [1, 'inactive', 'Groceries', '500.00', 'monthly'],
        [2, 'active', 'Groceries', '500.00', 'monthly'],
        [3, 'locked', 'Groceries', '500.00', 'monthly'],
        [4, 'locked', null, '1.00', 'monthly'],
        [5, 'locked', null, '1.00', 'daily'],
      ],
    );
    assert.deepEqual(await issuer.readCard(card.id), states.at(-1));
  });

  test('a change that is there already makes no new version, of a canceled card either', async () => {
    for (const status of cardStatuses) {
      const card = await makeCard({ status });
      const { nickname, spendingLimit } = card;
      const same = { cardId: card.id, status, nickname, spendingLimit, idempotencyKey: newKey() };
      assert.deepEqual(await issuer.updateCard(same), card);
    }
  });

  test('refused: a canceled card does not change, and a change without any', async () => {
    const canceled = await makeCard({ status: 'canceled' });
    for (const change of [
      { nickname: 'New' },
      { spendingLimit: '1.00' },
      { status: 'canceled', nickname: 'New' },
    ] as const) {
      await refused(
        issuer.updateCard({ cardId: canceled.id, ...change, idempotencyKey: newKey() }),
        'refused',
      );
    }
    const card = await makeCard();
    await refused(issuer.updateCard({ cardId: card.id, reason: 'why', idempotencyKey: newKey() }), 'refused');
  });
});

describe('HTTP', () => {
  test('401 unauthorized: no token, another one, another scheme; before anything is read', async () => {
    for (const authorization of [
      '',
      'Bearer',
      `Bearer ${server.token}x`,
      server.token,
      `bearer ${server.token}`,
    ]) {
      for (const path of ['/v1/events', '/v1/nowhere']) {
        const { status, body } = await raw('GET', path, undefined, { authorization });
        assert.deepEqual([status, body.error.reason], [401, 'unauthorized'], authorization);
      }
    }
  });

  test('404 unknown-path: not the reason of a card that is not there', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/cards'],
      ['GET', '/v1/cards/'],
      ['GET', '/v1/cards/card_1/reveal'],
      ['DELETE', '/v1/cards/card_1'],
      ['GET', '/v2/events'],
      ['GET', '//'],
    ] as const) {
      const { status, body } = await raw(method, path);
      assert.deepEqual([status, body.error.reason], [404, 'unknown-path'], `${method} ${path}`);
    }
    const { status, body } = await raw('GET', '/v1/cards/card_none');
    assert.deepEqual([status, body.error.reason], [404, 'not-found']);
  });

  test('400 invalid-request: a write without a key, or with an invalid one', async () => {
    const { url, token } = server;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (const [path, method, body] of [
      ['users', 'POST', { reference: 'r' }],
      ['cards', 'POST', { cardIssuerUserId: 'ciu_none', cards: [terms] }],
      ['cards/card_none', 'PATCH', { status: 'active' }],
      ['simulations', 'POST', { kind: 'refund', transactionId: 'txn_none' }],
    ] as const) {
      const answer = await ask(`${url}/v1/${path}`, { method, headers, body: JSON.stringify(body) });
      assert.deepEqual([answer.status, answer.body.error.reason], [400, 'invalid-request'], path);
      assert.match(answer.body.error.message, /Idempotency-Key/);
    }
    for (const key of ['a b', 'k'.repeat(256)]) {
      assert.equal(
        (await raw('POST', '/v1/users', { reference: 'r' }, { 'idempotency-key': key })).status,
        400,
      );
    }
  });

  test('400 invalid-request: a body that is not as it must be, by its field', async () => {
    const purchase = { kind: 'authorization', cardId: 'card_1', amount: '1.00', merchantName: 'Bakery' };
    for (const [path, body, words] of [
      ['users', '', /JSON/],
      ['users', '{', /JSON/],
      ['users', '{"reference":"a","reference":"b"}', /twice/],
      ['users', {}, /form/],
      ['users', { reference: 1 }, /^reference/],
      ['users', { reference: 'r', more: 1 }, /form/],
      ['users', { reference: 'a\nb' }, /^reference/],
      ['users', { reference: 'r'.repeat(70_000) }, /too large/],
      ['cards', { cardIssuerUserId: 'ciu_1', cards: [] }, /^cards/],
      [
        'cards',
        { cardIssuerUserId: 'ciu_1', cards: [{ ...terms, spendingInterval: 'hourly' }] },
        /^cards\.0/,
      ],
      ['simulations', { ...purchase, kind: 'theft' }, /^kind/],
      ['simulations', { ...purchase, amount: '0.00' }, /^amount/],
      ['simulations', { ...purchase, amount: '-1.00' }, /^amount/],
      ['simulations', { ...purchase, amount: '1' }, /^amount/],
      ['simulations', { ...purchase, localAmount: '5' }, /localCurrency/],
      ['simulations', { kind: 'refund', transactionId: 'txn_1', amount: '0.00' }, /^amount/],
      ['deposits', { cardIssuerUserId: 'ciu_1' }, /form/],
      ['cards/card_1/reveal', { cardIssuerUserId: 'ciu_1' }, /form/],
      ['cards/card_1/reveal', { cardIssuerUserId: 'ciu_1', sessionId: 5 }, /^sessionId/],
    ] as const) {
      const answer = await raw('POST', `/v1/${path}`, body);
      assert.deepEqual(
        [answer.status, answer.body.error?.reason],
        [400, 'invalid-request'],
        JSON.stringify(body).slice(0, 80),
      );
      assert.match(answer.body.error.message, words);
    }
    const plain = await raw('POST', '/v1/users', '{"reference":"r"}', { 'content-type': 'text/plain' });
    assert.deepEqual([plain.status, plain.body.error.reason], [400, 'invalid-request']);
  });
});
