import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { callerOf, refusalOf } from '#test/callers/tool-call';
import { useCards } from '#test/worlds/card';
import { createCards } from './create-cards.ts';
import { cardTools } from './tools.ts';
import { updateCard } from './update-card.ts';

const { harness, proxy, viaProxy, owner, as, cardsAtIssuer, auditOf } = await useCards();
const callTool = callerOf(cardTools);
// biome-ignore lint/suspicious/noExplicitAny: the payload is checked against the tool's own schema.
const create = (args: object): Promise<any> => callTool(as(owner), 'createUserCards', args);
const statusesOf = (cards: { status: string }[]) => cards.map(({ status }) => status);

test('activate: true makes new cards active, once under a key, and the audit log has it', async () => {
  const cards = [{ spendingLimit: '10' }, { spendingLimit: '20' }];
  const args = { cards, activate: true, idempotencyKey: randomUUID() };
  const first = await create(args);
  assert.deepEqual(statusesOf(first.cards), ['active', 'active']);
  assert.deepEqual([first.replayed, first.warnings], [false, undefined]);
  const { after } = (await auditOf(`user:${owner.userId}`)).at(-1) as { after: { activated: string[] } };
  assert.deepEqual(
    after.activated,
    first.cards.map(({ id }: { id: string }) => id),
  );

  const { id: cardId, cardIssuerUserId } = first.cards[0];
  await updateCard(as(owner), { userId: owner.userId, cardId, cardIssuerUserId, status: 'locked' });
  const again = await create(args);
  assert.deepEqual([statusesOf(again.cards), again.replayed], [['locked', 'active'], true]);
  assert.equal((await cardsAtIssuer(owner.userId)).length, 2);
  const other = await refusalOf(create({ ...args, activate: false }));
  assert.equal(other.code, 'idempotency_key_reused', 'it is another request');
});

test('a process that dies between making and activating cards: a repetition activates the same ones', async () => {
  const request = {
    userId: owner.userId,
    cards: [{ spendingLimit: '1' }],
    activate: true,
    idempotencyKey: randomUUID(),
  };
  const dying = { ...viaProxy, updateCard: () => Promise.reject(new Error('killed')) };
  await assert.rejects(createCards(as(owner, dying), request), /killed/);
  const atIssuer = await cardsAtIssuer(owner.userId);
  assert.equal(atIssuer.length, 1);
  const { cards, replayed } = await createCards(as(owner), request);
  assert.deepEqual([cards.map(({ id }) => id), statusesOf(cards), replayed], [atIssuer, ['active'], false]);
  assert.deepEqual(await cardsAtIssuer(owner.userId), atIssuer);
});

test('cards that the issuer does not activate are made, and a warning says what to call', async () => {
  proxy.passage = (request) => (request.startsWith('PATCH') ? 'request lost' : 'whole');
  const { cards, warnings } = await create({ cards: [{ spendingLimit: '1' }], activate: true });
  assert.deepEqual(statusesOf(cards), ['inactive']);
  const expected = `Card ${cards[0].id} was made, but the card issuer did not confirm that it is active: call updateUserCard with status active.`;
  assert.deepEqual(warnings, [expected]);
});

test('a repetition after a lost answer warns again of a card that is not active', async () => {
  proxy.passage = (request: string) => (request.startsWith('PATCH') ? 'request lost' : 'whole');
  const cards = [{ nickname: 'Trip', spendingLimit: '1' }];
  const args = { cards, activate: true, idempotencyKey: randomUUID() };
  const first = await create(args);
  proxy.passage = () => 'whole';
  const again = await create(args);
  assert.deepEqual([again.replayed, statusesOf(again.cards)], [true, ['inactive']]);
  assert.deepEqual(again.warnings, first.warnings);
});

test('of many cards of the same name, a few are named', async () => {
  const cards = Array.from({ length: 6 }, () => ({ nickname: 'Same', spendingLimit: '1' }));
  await create({ cards });
  const { warnings } = await create({ cards: [{ nickname: 'same', spendingLimit: '1' }] });
  assert.equal(warnings.length, 4);
  assert.match(warnings[3], /^Of the last day, 3 more cards have such names/);
});

test('a card of the same name, made in the last day and not canceled, is named in a warning', async () => {
  const make = (nickname: string | null, key?: string) =>
    create({ cards: [{ nickname, spendingLimit: '1' }], ...(key && { idempotencyKey: key }) });
  const first = await make('Groceries');
  assert.equal(first.warnings, undefined);
  assert.equal((await make('Travel')).warnings, undefined, 'another name');
  await make(null);
  assert.equal((await make(null)).warnings, undefined, 'cards without a name');

  const key = randomUUID();
  const second = await make('GROCERIES', key);
  const [{ id, lastFourDigits, cardIssuerUserId }] = first.cards;
  assert.equal(second.warnings.length, 1);
  const start = `A card named Groceries (${id}, ending in ${lastFourDigits}) was made at 20`;
  assert.ok(second.warnings[0].startsWith(start), second.warnings[0]);
  assert.match(second.warnings[0], /ask the user whether to keep both; updateUserCard cancels one\.$/);
  assert.equal((await make('GROCERIES', key)).warnings, undefined, 'a repetition made none');

  const { userId } = owner;
  for (const { id: cardId } of [...first.cards, ...second.cards]) {
    await updateCard(as(owner), { userId, cardId, cardIssuerUserId, status: 'canceled' });
  }
  assert.equal((await make('groceries')).warnings, undefined, 'all others are canceled');
  harness.advance(25 * 3_600_000);
  assert.equal((await make('groceries')).warnings, undefined, 'the other was made yesterday');
});
