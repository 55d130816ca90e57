import { after, beforeEach } from 'node:test';
import { createHttpIssuer, type Issuer, type IssuerEvent } from '#adapters/issuer';
import type { IssuedKey } from '#features/keys';
import { keyContext, refusalOf } from '#test/callers/tool-call';
import { makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { startTestIssuer } from '#test/outside/issuer';
import { startUnreliableProxy } from '#test/outside/unreliable-proxy';

export const codeOf = async (work: Promise<unknown>) => (await refusalOf(work)).code;

/** A server for a test file, a card issuer behind a proxy, and a new key before each test. */
export async function useCards() {
  const sandbox = await startTestIssuer();
  after(() => sandbox.stop());
  const proxy = await startUnreliableProxy(sandbox.url);
  after(() => proxy.stop());
  // Through the proxy, with less patience than in production.
  const viaProxy = createHttpIssuer({ url: proxy.url, token: sandbox.token, timeoutMs: 60_000 });
  const harness = useHarness({ issuer: viaProxy, issuerWebhookSecrets: [sandbox.webhookSecret] });

  const owner = {} as IssuedKey;
  beforeEach(async () => {
    Object.assign(owner, await makeKey(harness));
    proxy.passage = () => 'whole';
    proxy.passed = [];
  });

  const as = (key: IssuedKey, issuer: Issuer = viaProxy) => ({ ...keyContext(harness, key), issuer });

  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

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
      const [row] = await sql(
        `select count(*), md5(string_agg(t::text, ',' order by t::text)) from ${name} t`,
      );
      content[name as string] = row;
    }
    return content;
  }

  return {
    sandbox,
    proxy,
    viaProxy,
    harness,
    owner,
    as,
    sql,
    readAllEvents,
    cardsAtIssuer,
    auditOf,
    readEverything,
  };
}
