import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  cardStatuses,
  createHttpIssuer,
  type Issuer,
  type IssuerEvent,
  IssuerFault,
  noIssuer,
  signWebhook,
} from '#adapters/issuer';
import { type Ctx, contextFor, type KeyActor } from '#context';
import type { IssuedKey } from '#features/keys';
import { Refusal } from '#platform/errors/errors';
import { makeKey, makeUser } from '#test/factories';
import { useHarness } from '#test/harness';
import { startTestIssuer } from '#test/issuer';
import { startUnreliableProxy } from '#test/unreliable-proxy';
import { waitUntil } from '#test/wait-until';
import { catchUp } from './catch-up.ts';
import { createCards } from './create-cards.ts';
import { listTransactionsOfCard } from './lists/list-transactions-of-card.ts';
import { openAccount } from './open-account.ts';
import { readRevealKey } from './read-reveal-key.ts';
import { revealCard } from './reveal-card.ts';
import { showCard } from './show-card.ts';
import { cardMoves } from './states.ts';
import { updateCard } from './update-card.ts';

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const proxy = await startUnreliableProxy(sandbox.url);
after(() => proxy.stop());
// Through the proxy, with less patience than in production.
const viaProxy = createHttpIssuer({ url: proxy.url, token: sandbox.token, timeoutMs: 60_000 });
const harness = useHarness({ issuer: viaProxy, issuerWebhookSecrets: [sandbox.webhookSecret] });

let owner: IssuedKey;
beforeEach(async () => {
  owner = await makeKey(harness);
  proxy.passage = () => 'whole';
  proxy.passed = [];
});

const as = ({ id: keyId, partnerId, userId, scopes }: IssuedKey, issuer: Issuer = viaProxy): Ctx<KeyActor> =>
  contextFor(
    { ...harness.deps, issuer },
    { kind: 'key', keyId, partnerId, userId, scopes } as const,
    harness.deps.log,
  );

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

/** The code and message of a refusal. */
async function refusalOf(work: Promise<unknown>): Promise<{ status: number; code: string; message: string }> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (error) => error,
  );
  if (!(error instanceof Refusal)) throw error;
  const { status, code, message } = error;
  return { status, code, message };
}

const codeOf = async (work: Promise<unknown>) => (await refusalOf(work)).code;

/** All events of the issuer so far. */
async function readAllEvents(): Promise<IssuerEvent[]> {
  const events: IssuerEvent[] = [];
  for (;;) {
    const page = await sandbox.issuer.readEvents({ after: events.at(-1)?.sequence ?? 0n, limit: 500 });
    events.push(...(page as IssuerEvent[]));
    if (page.length < 500) return events;
  }
}

/** Cards that the issuer has for a user, whether we know of them or not. */
async function cardsAtIssuer(userId: string): Promise<string[]> {
  const events = await readAllEvents();
  const accounts = new Set(
    events.flatMap(({ type, data }) =>
      type === 'user.created' && data.reference === userId ? [data.id] : [],
    ),
  );
  const cards = events.flatMap(({ type, data }) =>
    type === 'card.changed' && accounts.has(data.cardIssuerUserId) ? [data.id] : [],
  );
  return [...new Set(cards)];
}

const auditOf = (subject: string) =>
  sql('select action, actor_id, before, after from audit_log where subject = $1 order by id', [subject]);

async function readEverything(): Promise<Record<string, unknown>> {
  const tables = await sql(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await sql(`select count(*), md5(string_agg(t::text, ',' order by t::text)) from ${name} t`);
    content[name as string] = row;
  }
  return content;
}

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
    assert.deepEqual(again, { cards: first.cards, replayed: true });
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

// ## Changing

async function makeCard(key = owner, status: 'inactive' | 'active' | 'locked' | 'canceled' = 'inactive') {
  const { userId } = key;
  const { cards } = await createCards(as(key), {
    userId,
    cards: [{ nickname: 'Card', spendingLimit: '100' }],
  });
  const { id: cardId, cardIssuerUserId } = cards[0]!;
  const card = { userId, cardId, cardIssuerUserId };
  const way = {
    inactive: [],
    active: ['active'],
    locked: ['active', 'locked'],
    canceled: ['canceled'],
  } as const;
  for (const status_ of way[status]) await updateCard(as(key), { ...card, status: status_ });
  return card;
}

for (const from of cardStatuses) {
  for (const to of cardStatuses.filter((to) => to !== from)) {
    const isLegal = cardMoves[from].includes(to);
    test(`${isLegal ? '200' : '409'} a card that is ${from} becomes ${to}`, async () => {
      const card = await makeCard(owner, from);
      proxy.passed = [];
      if (isLegal) {
        assert.equal((await updateCard(as(owner), { ...card, status: to })).card.status, to);
        return;
      }
      const { status, code, message } = await refusalOf(updateCard(as(owner), { ...card, status: to }));
      assert.deepEqual([status, code], [409, 'illegal_card_move']);
      for (const legal of cardMoves[from]) assert.ok(message.includes(legal), message);
      assert.deepEqual(proxy.passed, [], 'the issuer was not asked');
    });
  }
}

test('everything that may change, one by one and together, with a version each and an audit row', async () => {
  const card = await makeCard();
  const changes = [
    { nickname: 'Renamed' },
    { nickname: null },
    { spendingLimit: '7.5' },
    { spendingInterval: 'daily' as const },
    { status: 'active' as const, nickname: 'All', spendingLimit: '0', reason: 'a test' },
  ];
  for (const change of changes) await updateCard(as(owner), { ...card, ...change });
  const shown = await showCard(as(owner), card);
  assert.deepEqual(
    [shown.nickname, shown.status, shown.spendingLimit, shown.spendingInterval, shown.version],
    ['All', 'active', 0n, 'daily', 6],
  );
  const versions = await sql(
    'select version, nickname, status, spending_limit from card_versions where card_id = $1 order by version',
    [card.cardId],
  );
  assert.deepEqual(
    versions.map(({ nickname, spending_limit }) => [nickname, spending_limit]),
    [
      ['Card', 10_000n],
      ['Renamed', 10_000n],
      [null, 10_000n],
      [null, 750n],
      [null, 750n],
      ['All', 0n],
    ],
  );
  const rows = await auditOf(`card:${card.cardId}`);
  assert.equal(rows.length, 5);
  assert.deepEqual(rows.at(-1), {
    action: 'cards.update',
    actor_id: owner.id,
    before: { nickname: null, status: 'inactive', spendingLimit: '7.50' },
    after: { nickname: 'All', status: 'active', spendingLimit: '0.00', reason: 'a test' },
  });
});

test('400 a change of nothing, or to an invalid limit', async () => {
  const card = await makeCard();
  proxy.passed = [];
  assert.equal(await codeOf(updateCard(as(owner), card)), 'nothing_to_change');
  assert.equal(await codeOf(updateCard(as(owner), { ...card, reason: 'a test' })), 'nothing_to_change');
  assert.equal(await codeOf(updateCard(as(owner), { ...card, spendingLimit: '-1' })), 'invalid_request');
  assert.deepEqual(proxy.passed, []);
});

test('409 a canceled card does not change any more; to cancel it again is no fault', async () => {
  const card = await makeCard(owner, 'canceled');
  assert.equal(await codeOf(updateCard(as(owner), { ...card, nickname: 'New' })), 'card_canceled');
  const { card: again } = await updateCard(as(owner), { ...card, status: 'canceled' });
  assert.deepEqual([again.status, again.version], ['canceled', 2]);
  assert.equal((await auditOf(`card:${card.cardId}`)).length, 1);
});

test('409 by the issuer where it knows more than we do; what we then know is what it knows', async () => {
  const card = await makeCard(owner, 'active');
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'canceled', idempotencyKey: randomUUID() });
  assert.equal((await showCard(as(owner), card)).status, 'active');
  const { code, message } = await refusalOf(updateCard(as(owner), { ...card, status: 'locked' }));
  assert.deepEqual(
    [code, message],
    ['illegal_card_move', 'A card that is canceled does not become locked: canceled is final'],
  );
  assert.equal((await showCard(as(owner), card)).status, 'canceled');
});

test('two who change a card at once: both are done, or one is refused, and we have what the issuer has', async () => {
  for (let round = 0; round < 5; round++) {
    const card = await makeCard(owner, 'active');
    const outcomes = await Promise.allSettled([
      updateCard(as(owner), { ...card, status: 'locked' }),
      updateCard(as(owner), { ...card, status: 'canceled' }),
      updateCard(as(owner), { ...card, nickname: 'Meanwhile' }),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Refusal);
    }
    const known = await showCard(as(owner), card);
    const told = (await sandbox.issuer.readCard(card.cardId))!;
    assert.deepEqual(
      [known.version, known.status, known.nickname],
      [told.version, told.status, told.nickname],
    );
  }
});

test('503 a lost answer; a repeated request gets the card with the change', async () => {
  const card = await makeCard(owner, 'active');
  proxy.passage = () => 'answer lost';
  assert.equal(await codeOf(updateCard(as(owner), { ...card, status: 'locked' })), 'issuer_unavailable');
  assert.equal((await showCard(as(owner), card)).status, 'active');
  proxy.passage = () => 'whole';
  const { card: changed } = await updateCard(as(owner), { ...card, status: 'locked' });
  assert.deepEqual([changed.status, changed.version], ['locked', 3]);
  const rows = await auditOf(`card:${card.cardId}`);
  assert.deepEqual(
    rows.slice(-2).map(({ action, after }) => [action, after]),
    [
      ['cards.update', { status: 'locked', outcome: 'unknown' }],
      ['cards.update', { status: 'locked' }],
    ],
  );
});

test('the audit log has what was asked for, not what the issuer did meanwhile', async () => {
  const card = await makeCard(owner, 'active');
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'locked', idempotencyKey: randomUUID() });
  await updateCard(as(owner), { ...card, nickname: 'Mine' });
  const { before, after } = (await auditOf(`card:${card.cardId}`)).at(-1)!;
  assert.deepEqual([before, after], [{ nickname: 'Card' }, { nickname: 'Mine' }]);
});

test('an issuer that refuses what is so already: what is left is asked, or the card is given as it is', async () => {
  const strict: Issuer = {
    ...viaProxy,
    async updateCard(request) {
      const { status } = (await viaProxy.readCard(request.cardId))!;
      if (status === request.status) throw new IssuerFault('refused', 'It is so already.');
      return viaProxy.updateCard(request);
    },
  };
  const card = await makeCard(owner, 'active');
  await sandbox.issuer.updateCard({ cardId: card.cardId, status: 'locked', idempotencyKey: randomUUID() });
  const { card: locked } = await updateCard(as(owner, strict), { ...card, status: 'locked' });
  assert.deepEqual([locked.status, locked.version], ['locked', 3]);
  const { card: both } = await updateCard(as(owner, strict), {
    ...card,
    status: 'locked',
    nickname: 'Kept',
  });
  assert.deepEqual([both.status, both.nickname, both.version], ['locked', 'Kept', 4]);

  const stubborn = {
    ...viaProxy,
    updateCard: () => Promise.reject(new IssuerFault('refused', 'Not today.')),
  };
  const { code, message } = await refusalOf(updateCard(as(owner, stubborn), { ...card, nickname: 'New' }));
  assert.deepEqual([code, message], ['issuer_refused', 'The card issuer refused: Not today.']);
});

// ## Somebody else's

test('404 whatever is somebody else’s, with every mixture of ids, and nothing changes', async () => {
  const stranger = await makeKey(harness);
  const [mine, theirs] = [await makeCard(owner, 'active'), await makeCard(stranger, 'active')];
  const second = await openAccount(as(owner), { userId: owner.userId });
  const without = await makeUser(harness);
  const before = await readEverything();
  proxy.passed = [];

  const userIds = [owner.userId, stranger.userId, without.id, randomUUID()];
  const cardIds = [mine.cardId, theirs.cardId, 'crd_nobody', '..', 'x'.repeat(500), "' or 1=1 --"];
  const accountIds = [mine.cardIssuerUserId, theirs.cardIssuerUserId, second.id, 'ciu_nobody', '%'];
  const isTrue = JSON.stringify(mine);
  let refused = 0;
  for (const userId of userIds) {
    for (const cardId of cardIds) {
      for (const cardIssuerUserId of accountIds) {
        const card = { userId, cardId, cardIssuerUserId };
        if (JSON.stringify(card) === isTrue) continue;
        for (const verb of [
          () => showCard(as(owner), card),
          () => updateCard(as(owner), { ...card, nickname: 'Stolen' }),
          () => updateCard(as(owner), { ...card, status: 'canceled' }),
          () => revealCard(as(owner), { ...card, sessionId: 'c2Vzc2lvbg==' }),
        ]) {
          const { status, code, message } = await refusalOf(verb());
          assert.deepEqual([status, code, message], [404, 'card_not_found', 'Card not found']);
          refused++;
        }
        if (JSON.stringify(card) === JSON.stringify(theirs)) continue;
        const list = listTransactionsOfCard(as(owner), { ...card, pageSize: 10 });
        assert.equal(await list, undefined);
      }
    }
  }
  assert.equal(refused, (userIds.length * cardIds.length * accountIds.length - 1) * 4);
  for (const cardIssuerUserId of [theirs.cardIssuerUserId, 'ciu_nobody']) {
    for (const cards of [
      [{ spendingLimit: '1', cardIssuerUserId }],
      [{ spendingLimit: '1' }, { spendingLimit: '1', cardIssuerUserId }],
    ]) {
      const made = createCards(as(owner), { userId: owner.userId, cards, idempotencyKey: randomUUID() });
      const { status, code } = await refusalOf(made);
      assert.deepEqual([status, code], [404, 'card_account_not_found']);
    }
  }
  assert.deepEqual(proxy.passed, [], 'the issuer was not asked');
  assert.deepEqual(await readEverything(), before);
});

// ## Webhooks

const webhookUrl = () => `${harness.url}/issuer/events`;

interface Hook {
  body?: string;
  at?: number;
  id?: string;
  secret?: string;
  headers?: Record<string, string>;
}

/** Sends an event as the issuer does, except for what `Hook` replaces. */
async function send(event: IssuerEvent, { body, at, id, secret, headers }: Hook = {}) {
  const text = JSON.stringify(event, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  const timestamp = String(Math.floor((at ?? Date.now()) / 1000));
  const signature = signWebhook(
    secret ?? sandbox.webhookSecret,
    id ?? event.id,
    timestamp,
    Buffer.from(text),
  );
  const response = await fetch(webhookUrl(), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id ?? event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
      ...headers,
    },
    body: body ?? text,
  });
  const answer = await response.text();
  return { status: response.status, error: answer === '' ? undefined : JSON.parse(answer).error };
}

/** Six events about a new user's card that we have not received yet. */
async function makeUntoldEvents(): Promise<IssuerEvent[]> {
  const { id: reference } = await makeUser(harness);
  const { issuer } = sandbox;
  const { id: cardIssuerUserId } = await issuer.createUser({ reference, idempotencyKey: randomUUID() });
  const terms = { name: 'Test', nickname: null, spendingLimit: '9.00', spendingInterval: 'monthly' as const };
  const [card] = await issuer.createCards({ cardIssuerUserId, cards: [terms], idempotencyKey: randomUUID() });
  await issuer.updateCard({ cardId: card!.id, status: 'active', idempotencyKey: randomUUID() });
  await issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId, amount: '50.00' });
  await issuer.simulate({ kind: 'authorization', cardId: card!.id, amount: '2.00', merchantName: 'Kiosk' });
  return (await readAllEvents()).slice(-6);
}

test('204 a webhook’s event is applied at once, also when it is repeated', async () => {
  const events = await makeUntoldEvents();
  for (const event of events) assert.deepEqual(await send(event), { status: 204, error: undefined });
  const known = await readEverything();
  for (const event of [...events, ...events.toReversed()]) assert.equal((await send(event)).status, 204);
  assert.deepEqual(await readEverything(), known);
  const { cardIssuerUserId } = events.at(-1)!.data as { cardIssuerUserId: string };
  const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
  assert.equal(account!.collateral, 4_800n);
});

test('204 events that come before what they are about are left, and wake the catch-up', async () => {
  const events = await makeUntoldEvents();
  let woken = 0;
  const listener = harness.deps.db.listen('card_events', () => woken++);
  try {
    await waitUntil('the channel is listened to', async () => {
      await sql(`select pg_notify('card_events', '')`);
      return woken > 0;
    });
    // Until the last of those has come, too.
    await sleep(300);
    woken = 0;
    for (const event of events.toReversed()) assert.equal((await send(event)).status, 204);
    await waitUntil('the catch-up is woken', () => woken >= 1);
  } finally {
    await listener.stop();
  }
  while ((await catchUp(as(owner))).isBehind);
  const { cardIssuerUserId, cardId } = events.at(-2)!.data as { cardIssuerUserId: string; cardId: string };
  const [card] = await sql('select status, version from cards where id = $1', [cardId]);
  assert.deepEqual({ ...card }, { status: 'active', version: 2 });
  const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
  assert.equal(account!.collateral, 4_800n);
});

test('401 and 400 what is forged, altered, old, unsigned or no event, and nothing of it is kept', async () => {
  const [event] = await makeUntoldEvents();
  const forgery = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const text = JSON.stringify({ ...event, sequence: String(event!.sequence) });
  const before = await readEverything();
  const answers = {
    forged: await send(event!, { secret: forgery }),
    altered: await send(event!, { body: text.replace('user.created', 'user.created ') }),
    old: await send(event!, { at: Date.now() - 301_000 }),
    early: await send(event!, { at: Date.now() + 302_000 }),
    otherId: await send(event!, { headers: { 'webhook-id': 'evt_other' } }),
    unsigned: await send(event!, { headers: { 'webhook-signature': '' } }),
    noBody: await send(event!, { body: '' }),
  };
  for (const [what, { status, error }] of Object.entries(answers)) {
    assert.equal(status, 401, what);
    assert.equal(error, 'Webhook signature is invalid or too old');
  }
  for (const broken of [
    { ...event, type: 'user.deleted' },
    { ...event, data: { ...event!.data, createdAt: 'yesterday' } },
    { id: event!.id },
    'text',
  ]) {
    const { status, error } = await send({ ...(broken as IssuerEvent), id: event!.id } as IssuerEvent);
    assert.deepEqual([status, error], [400, 'Body is not an event of the card issuer']);
  }
  const { status } = await fetch(webhookUrl(), {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(status, 415);
  assert.equal((await fetch(webhookUrl())).status, 405);
  assert.deepEqual(await readEverything(), before);
});

test('the issuer’s own webhooks reach us; what is lost on the way is read', async () => {
  const lossy = await startUnreliableProxy(harness.url);
  let sent = 0;
  lossy.passage = () => (['whole', 'answer lost', 'request lost'] as const)[sent++ % 3]!;
  try {
    await sandbox.setWebhook(`${lossy.url}/issuer/events`);
    const events = await makeUntoldEvents();
    const { cardIssuerUserId } = events.at(-1)!.data as { cardIssuerUserId: string };
    await waitUntil('some webhooks have come', () => sent >= 3);
    await Promise.all([catchUp(as(owner)), catchUp(as(owner)), catchUp(as(owner))]);
    while ((await catchUp(as(owner))).isBehind);
    const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
    assert.equal(account!.collateral, 4_800n);
    const [cursor] = await sql('select last_sequence, skipped from card_event_cursor');
    assert.deepEqual({ ...cursor }, { last_sequence: (await readAllEvents()).at(-1)!.sequence, skipped: 0n });
  } finally {
    await sandbox.setWebhook('http://127.0.0.1:1/');
    await lossy.stop();
  }
});
