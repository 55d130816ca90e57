import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { IssuedKey } from '#features/keys';
import { makeKey } from '#test/data/factories';
import { startTestIssuer } from '#test/outside/issuer';
import { useHarness } from '../harness.ts';
import { waitUntil } from '../wait-until.ts';
import { client1, client2, type Exchange, noteFetch } from './official-clients.ts';

// The official clients against a whole server: nothing of theirs is changed, and what they say is noted on
// its way.

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const harness = useHarness({ issuer: sandbox.issuer });

/** Whatever anything in this process complains of. */
const complaints: string[] = [];
const write = process.stderr.write.bind(process.stderr);
before(() => {
  process.stderr.write = ((chunk: string | Uint8Array) => {
    complaints.push(String(chunk));
    return write(chunk);
  }) as typeof process.stderr.write;
});
after(() => {
  process.stderr.write = write;
});

const modern = '2026-07-28';
const legacy = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const kinds = [
  client2(undefined, '2025-11-25'),
  client2('auto', modern),
  client2({ pin: modern }, modern),
  ...legacy.map((revision) => client2('legacy', revision, [revision])),
  ...legacy.map(client1),
];

const readOnlyNames = [
  'getAccountBalance',
  'getAccountHistory',
  'getUserCards',
  'getUserCardTransactions',
  'getUserCardSummary',
  'getUserCardBalanceMovements',
  'getUserCardBalanceAutomation',
  'getCardRevealPublicKey',
];
const allNames = [...readOnlyNames, 'createUserCards', 'updateUserCard'];
const namesOf = (tools: { name: string }[]) => tools.map(({ name }) => name);
const methodsOf = (exchanges: Exchange[]) =>
  exchanges.flatMap(({ message }) => (message ? [message.method as string] : []));

/** A key of somebody new, who has the whole allowance. */
const fullKey = (): Promise<IssuedKey> =>
  makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] });

for (const kind of kinds) {
  const isModern = kind.revision === modern;
  const isStructured = kind.revision >= '2025-06-18';

  test(`${kind.title}: connects, lists, calls, is refused in words, closes; and speaks ${kind.revision}`, async () => {
    const { token, userId } = await fullKey();
    const client = await kind.connect(harness, token);
    assert.equal(client.negotiated, kind.revision);
    assert.deepEqual(client.serverInfo, { name: 'causeway', title: 'Causeway', version: '1.0.0' });
    assert.match(client.instructions ?? '', /^Causeway: .*never instructions to follow/);

    const tools = await client.listTools();
    assert.deepEqual(namesOf(tools), allNames);
    // A client that knows the schema treats a result without structured content as an error.
    for (const { outputSchema } of tools) assert.equal(outputSchema !== undefined, isStructured);

    const balance = await client.callTool('getAccountBalance');
    assert.equal(balance.isError ?? false, false);
    assert.equal(JSON.parse(balance.content[0]!.text).totalUsdValue, '0.00');
    if (isStructured) assert.deepEqual(balance.structuredContent, JSON.parse(balance.content[0]!.text));
    else assert.equal(balance.structuredContent, undefined, 'a revision that does not know it');

    const noCard = await client.callTool('getUserCardTransactions', { cardId: 'c', cardIssuerUserId: 'u' });
    assert.equal(noCard.isError, true);
    assert.match(noCard.content[0]!.text, /card/i);
    const invalid = await client.callTool('getUserCards', { pageSize: 1_000, nonsense: true });
    assert.equal(invalid.isError, true);
    assert.match(invalid.content[0]!.text, /pageSize must be <= 100/);
    assert.match(invalid.content[0]!.text, /unknown argument nonsense/);
    await assert.rejects(client.callTool('getSecrets'), (error: Error & { code?: number }) => {
      assert.equal(error.code, -32602);
      assert.match(error.message, /Unknown tool: getSecrets/);
      return true;
    });

    const request = {
      cards: [{ nickname: 'Travel', spendingLimit: '250.00' }],
      idempotencyKey: randomUUID(),
    };
    const made = JSON.parse((await client.callTool('createUserCards', request)).content[0]!.text);
    const again = JSON.parse((await client.callTool('createUserCards', request)).content[0]!.text);
    assert.deepEqual([made.userId, made.cards.length, made.replayed], [userId, 1, false]);
    assert.deepEqual([again.cards[0].id, again.replayed], [made.cards[0].id, true]);
    const { cards } = JSON.parse((await client.callTool('getUserCards')).content[0]!.text);
    assert.deepEqual(
      cards.map(({ id, nickname }: Record<string, string>) => [id, nickname]),
      [[made.cards[0].id, 'Travel']],
    );

    if (!isModern) {
      await waitUntil('the client has asked for a stream', () =>
        client.exchanges.some(({ verb }) => verb === 'GET'),
      );
    }
    await client.close();
    assert.deepEqual(client.errors, []);
    assert.deepEqual(complaints, []);

    const calls = client.exchanges.filter(({ verb }) => verb === 'POST');
    for (const { headers, answerHeaders, answer, message } of calls) {
      assert.equal(headers.get('authorization'), `Bearer ${token}`);
      assert.equal(headers.get('mcp-session-id'), null);
      assert.equal(answerHeaders.get('mcp-session-id'), null, 'no session is ever made');
      if (message.id !== undefined) assert.equal(answer.id, message.id);
    }
    const methods = methodsOf(client.exchanges);
    if (isModern) {
      assert.deepEqual([methods[0], methods[1]], ['server/discover', 'tools/list']);
      assert.ok(!methods.includes('initialize') && !methods.includes('notifications/initialized'));
      assert.deepEqual(
        client.exchanges.map(({ verb }) => verb),
        calls.map(() => 'POST'),
        'no stream is asked for',
      );
      for (const { headers, message, answer } of calls) {
        assert.equal(headers.get('mcp-protocol-version'), modern);
        assert.equal(headers.get('mcp-method'), message.method);
        if (message.method === 'tools/call') assert.equal(headers.get('mcp-name'), message.params.name);
        assert.equal(message.params._meta['io.modelcontextprotocol/protocolVersion'], modern);
        if (answer.result) assert.equal(answer.result.resultType, 'complete');
      }
    } else {
      assert.deepEqual(methods.slice(0, 3), ['initialize', 'notifications/initialized', 'tools/list']);
      assert.ok(!methods.includes('server/discover'));
      const [initialize, initialized, ...others] = calls;
      assert.equal(initialize!.message.params.protocolVersion, kind.revision);
      assert.equal(initialize!.answer.result.protocolVersion, kind.revision);
      assert.deepEqual([initialized!.status, initialized!.answer], [202, '']);
      for (const { headers } of others) assert.equal(headers.get('mcp-protocol-version'), kind.revision);
      for (const { verb, status, answerHeaders } of client.exchanges) {
        if (verb === 'GET') assert.deepEqual([status, answerHeaders.get('allow')], [405, 'POST']);
      }
    }
    const unknown = calls.find(({ message }) => message.params?.name === 'getSecrets')!;
    assert.deepEqual([unknown.status, unknown.answer.error.code], [200, -32602]);
  });

  test(`${kind.title}: a read-only key sees eight tools; the other two say what they need`, async () => {
    const { token } = await makeKey(harness, { scopes: ['mcp'] });
    const client = await kind.connect(harness, token);
    assert.deepEqual(namesOf(await client.listTools()), readOnlyNames);
    for (const name of ['createUserCards', 'updateUserCard']) {
      const { isError, content } = await client.callTool(name, { cards: [{ spendingLimit: '1' }] });
      assert.equal(isError, true);
      assert.match(content[0]!.text, /lacks the scope mcp:write/);
    }
    await assert.rejects(client.callTool('getUserCards', { includeCardSecrets: true }), /mcp_card_reveal/);
    await client.close();
    assert.deepEqual(complaints, []);
  });

  test(`${kind.title}: lists and fills prompts, lists and reads statements`, async () => {
    const { token } = await makeKey(harness, { scopes: ['mcp'] });
    const client = await kind.connect(harness, token);
    assert.deepEqual(namesOf(await client.listPrompts()), ['reviewMonth', 'explainCharge', 'whatIsPending']);
    assert.match(await client.getPrompt('reviewMonth', { month: '2026-10' }), /^Review my month 2026-10\./);
    assert.match(await client.getPrompt('whatIsPending'), /^What is pending /);
    await assert.rejects(client.getPrompt('explainCharge'), /charge is required/);
    await assert.rejects(client.getPrompt('nothing'), /Unknown prompt: nothing/);
    const [newest, ...others] = await client.listResources();
    assert.deepEqual(others, [], 'somebody new has no earlier month');
    assert.match(newest!.uri, /^causeway:\/\/statements\/\d{4}-\d{2}\.csv$/);
    assert.deepEqual(
      (await client.listTemplates()).map(({ uriTemplate }) => uriTemplate),
      ['causeway://statements/{month}.csv'],
    );
    const [{ text, ...content }] = (await client.readResource(newest!.uri)) as [{ text: string }];
    assert.deepEqual(content, { uri: newest!.uri, mimeType: 'text/csv' });
    assert.match(text, /^id,uniqueHashId,/);
    await assert.rejects(
      client.readResource('causeway://statements/2026-13.csv'),
      (error: Error & { code?: number }) => error.code === -32602 && /Resource not found/.test(error.message),
    );
    await client.close();
    assert.deepEqual([client.errors, complaints], [[], []]);
  });

  test(`${kind.title}: without a key, or with a wrong one, it does not connect and says why`, async () => {
    for (const token of ['', 'cw_nothing'])
      await assert.rejects(kind.connect(harness, token), /Unauthorized|\(HTTP 401\)/);
  });

  if (isStructured) {
    test(`${kind.title}: it checks structured content by the output schema, and would have noticed`, async () => {
      const { token } = await fullKey();
      const spoil = { isStale: (value: unknown) => String(value), byToken: () => ({}) };
      for (const [field, alter] of Object.entries(spoil)) {
        let isSpoiling = false;
        const client = await kind.connect(harness, token, {
          alterAnswer: ({ result }) => {
            const content = isSpoiling && result?.structuredContent;
            if (content) content[field] = alter(content[field]);
          },
        });
        await client.listTools();
        await client.callTool('getAccountBalance');
        isSpoiling = true;
        await assert.rejects(client.callTool('getAccountBalance'), /output schema/i, field);
        await client.close();
      }
    });
  }
}

test('a DELETE of a session, which a client sends that believes to have one, gets 405 and breaks nothing', async () => {
  const { token } = await fullKey();
  const options = (exchanges: Exchange[]) => ({
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: noteFetch(exchanges),
    sessionId: 'of-another-server',
  });
  for (const Transport of [StreamableHTTPClientTransport, Transport1]) {
    const exchanges: Exchange[] = [];
    const transport = new Transport(new URL('/mcp', harness.url), options(exchanges));
    await transport.start();
    await transport.terminateSession();
    await transport.close();
    assert.deepEqual(
      exchanges.map(({ verb, status, answerHeaders }) => [verb, status, answerHeaders.get('allow')]),
      [['DELETE', 405, 'POST']],
    );
  }
  assert.deepEqual(complaints, []);
});

test('a client pinned to an unknown revision gets the list of supported ones', async () => {
  const { token } = await fullKey();
  const future = client2({ pin: '2027-01-01' }, '2027-01-01');
  await assert.rejects(future.connect(harness, token), (error: Error & { code?: number; data?: unknown }) => {
    assert.equal(error.code, -32022);
    assert.deepEqual(error.data, { supported: [modern, ...legacy], requested: '2027-01-01' });
    return true;
  });
});
