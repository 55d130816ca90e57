import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach } from 'node:test';
import type { PrivateKey } from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { makeAddress, makeKey } from '#test/data/factories';
import {
  type Answer,
  networksWithoutNodes,
  noteSecret,
  type RequestOptions,
  useHarness,
} from '#test/harness';

interface CreateOptions extends RequestOptions {
  userId?: string;
}

/**
 * A server for a test file, a key that calls it, and what it must answer to withdrawals. What else the file
 * needs is prepared once, before its first test.
 */
export function useWithdrawals(prepareMore?: () => Promise<void>) {
  const signerKey: PrivateKey = `0x${noteSecret(randomBytes(32).toString('hex'))}`;

  /** As in production, but no node answers: a node that is down refuses nobody. */
  const harness = useHarness({
    networks: networksWithoutNodes().map((settings) =>
      settings.network === 'polygon' ? { ...settings, signerKeys: [signerKey] } : settings,
    ),
    withdrawalLimits: [
      { network: 'ethereum', symbol: 'USDC', minimum: '5', maximum: '100.5' },
      { network: 'ethereum', symbol: 'USDT', minimum: '0.01' },
    ],
  });

  const caller = {} as IssuedKey;

  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

  let prepared: Promise<void> | undefined;
  beforeEach(() => {
    prepared ??= prepare();
    return prepared;
  });

  async function prepare(): Promise<void> {
    Object.assign(caller, await makeKey(harness));
    await prepareMore?.();
  }

  function create(
    body: unknown,
    { userId = caller.userId, ...options }: CreateOptions = {},
  ): Promise<Answer> {
    return harness.request('POST', `/api/crypto/${userId}/withdraw`, {
      token: caller.token,
      ...options,
      body,
    });
  }

  const list = (query = '', { userId = caller.userId, ...options }: CreateOptions = {}) =>
    harness.request('GET', `/api/crypto/${userId}/withdraws${query}`, { token: caller.token, ...options });

  async function storedCounts(): Promise<unknown> {
    const [row] = await sql(
      `select (select count(*) from withdrawals) as withdrawals, (select sum(last_position) from withdrawal_lists) as positions,
         (select count(*) from withdrawal_lists) as lists, (select count(*) from withdrawal_count_changes) as changes`,
    );
    return row;
  }

  /** Sends a request, expects this refusal in the standard form, and checks that nothing was stored. */
  async function expectRefusal(ask: () => Promise<Answer>, status: number, error: string | RegExp) {
    const stored = await storedCounts();
    const answer = await ask();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    if (typeof error === 'string') assert.equal(answer.body.error, error);
    else assert.match(answer.body.error, error);
    assert.match(answer.body.code, /^[a-z_]+$/);
    assert.equal(answer.body.requestId, answer.headers.get('x-request-id'));
    assert.deepEqual(await storedCounts(), stored, 'something was stored');
    return answer;
  }

  /** Sends a request, expects a queued withdrawal and returns the stored row. */
  async function expectCreated(ask: () => Promise<Answer>): Promise<Record<string, unknown>> {
    const { status, body } = await ask();
    assert.equal(status, 200, body.error);
    const [row] = await sql('select * from withdrawals where bulk_id = $1', [body.data.bulkId]);
    assert.equal(row!.status, 'queued');
    assert.equal(row!.user_id, caller.userId);
    assert.equal(row!.partner_id, caller.partnerId);
    return row!;
  }

  const good = (fields: object = {}) => ({ amount: '1', to: makeAddress(), ...fields });

  return { signerKey, harness, caller, sql, create, list, expectRefusal, expectCreated, good };
}
