import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readCommandLineSetting as readSetting } from '#config/settings/command-line';
import { describeCause } from '#platform/errors/describe-cause';
import { readSandboxFile } from '../sandbox/index.ts';
import { CommandFault, exitCodes, UsageFault } from './exit-codes.ts';
import { describeFlagFault } from './flag-fault.ts';

const options = {
  forward: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  types: { type: 'string' },
} as const;

interface Feed {
  url: string;
  key: string;
  types: string | undefined;
}

interface FeedEvent {
  id: string;
  type: string;
  sequence: number;
}

const waitSeconds = 20;
const forwardTimeoutMs = 15_000;
const pausesMs = [1_000, 2_000, 5_000, 10_000];

/**
 * `causeway listen --forward <url>`: reads the feed and posts each new event to a local program, signed like
 * a webhook, until Ctrl-C. Needs no public address.
 */
export async function runListen(args: string[]): Promise<number> {
  const { forward, ...source } = readFlags(args);
  const feed = findFeed(source);
  const { createKeys, signedHeaders, writeSecret } = await import('#features/webhooks');
  const keys = createKeys();
  let after = await findEnd(feed);
  console.log(`Ready. New events of ${feed.url} go to ${forward}.`);
  console.log(`Signing secret for this session: ${writeSecret(keys)}`);
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  for (let failures = 0; !stopping.signal.aborted; ) {
    try {
      const page = await readPage(feed, { after, wait: waitSeconds }, stopping.signal);
      for (const event of page.events) {
        const body = JSON.stringify(event);
        const timestamp = Math.floor(Date.now() / 1_000);
        const headers = signedHeaders({ id: event.id, timestamp, body }, [keys]);
        await forwardOne(forward, event, { body, headers, signal: stopping.signal });
        after = event.sequence;
      }
      after = page.next;
      failures = 0;
    } catch (error) {
      if (stopping.signal.aborted) break;
      if (error instanceof CommandFault) throw error;
      const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)]!;
      failures += 1;
      console.error(`${feed.url} does not answer: ${describeCause(error as Error)}. Trying again.`);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  return exitCodes.fine;
}

function readFlags(args: string[]) {
  let values: { forward?: string; url?: string; key?: string; types?: string };
  try {
    ({ values } = parseArgs({ args, options, strict: true }));
  } catch (error) {
    const reason = describeFlagFault(error as Error, Object.keys(options));
    throw new UsageFault(`${reason.replace(/[^?]$/, '$&.')} See: causeway listen --help`);
  }
  const { forward, ...source } = values;
  if (forward === undefined) {
    throw new UsageFault(
      'Missing --forward: where to send events, such as --forward http://localhost:3000/hooks.',
    );
  }
  return { forward: requireUrl('--forward', forward), ...source };
}

/** A partner's key at a server, or the demo partner's at the sandbox of this folder. */
function findFeed({ url, key, types }: { url?: string; key?: string; types?: string }): Feed {
  const given = url ?? readSetting(process.env, 'CAUSEWAY_URL');
  if (given) {
    if (!key) throw new UsageFault('Missing --key: a key of the partner, such as --key cwk_….');
    return { url: requireUrl('--url', given).replace(/\/$/, ''), key, types };
  }
  const sandbox = readSandboxFile(readSetting(process.env, 'CAUSEWAY_HOME')!);
  if (!sandbox) {
    throw new UsageFault('No server given: pass --url and --key, or start the sandbox in this folder.');
  }
  return { url: sandbox.baseUrl, key: key ?? sandbox.keys.full.token, types };
}

function requireUrl(flag: string, text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new UsageFault(`${flag} must be a URL, such as http://localhost:3000/hooks, and is ${text}.`);
}

class RateLimited extends Error {}

/** Events from before the start are not forwarded. */
async function findEnd(feed: Feed): Promise<number> {
  // A type that is rare, so that little is sent on the way to the end.
  const passing = { ...feed, types: 'webhook_endpoint.disabled' };
  for (let after = 0; ; ) {
    try {
      const { next } = await readPage(passing, { after, wait: 0 }, AbortSignal.timeout(60_000));
      if (next === after) return after;
      after = next;
    } catch (error) {
      if (error instanceof CommandFault) throw error;
      if (!(error instanceof RateLimited)) {
        const reason = describeCause(error as Error);
        throw new CommandFault(`${feed.url} does not answer: ${reason}.`, exitCodes.unreachable);
      }
      // A long feed takes more requests than the rate limit has room for.
      await sleep(pausesMs[2]);
    }
  }
}

async function readPage(
  { url, key, types }: Feed,
  { after, wait }: { after: number; wait: number },
  signal: AbortSignal,
): Promise<{ events: FeedEvent[]; next: number }> {
  const query = new URLSearchParams({ after: String(after), limit: '100', wait: String(wait) });
  if (types) query.set('types', types);
  const response = await fetch(`${url}/api/events?${query}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout((wait + 15) * 1_000)]),
  });
  const body = (await response.json()) as { events: FeedEvent[]; next: number; error?: string };
  if (response.ok) return body;
  if (response.status === 429) throw new RateLimited('it answered 429');
  if (response.status >= 500) {
    throw new Error(`it answered ${response.status}`);
  }
  throw new CommandFault(`${url} refused: ${body.error ?? response.status}.`, exitCodes.refused);
}

async function forwardOne(
  to: string,
  { type, id }: FeedEvent,
  { body, headers, signal }: { body: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const time = new Date().toISOString().slice(11, 19);
  const outcome = await fetch(to, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(forwardTimeoutMs)]),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: Error) => `no answer: ${describeCause(error)}`,
  );
  console.log(`${time}  ${type.padEnd(28)} ${id}  ${outcome}`);
}
