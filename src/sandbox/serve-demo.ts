import type { Config } from '#config/config';
import { contextFor } from '#context';
import { migrate } from '#platform/db/migrate';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { StartupError } from '#platform/errors/startup-error';
import type { Log } from '#platform/observe/log';
import { createDeps, type RunningServer, serve, unreachable } from '../main.ts';
import { describeSandbox } from './banner.ts';
import { createDoor } from './door/mount-door.ts';
import { StaffLinks } from './door/staff-links.ts';
import { Inbox } from './inbox/inbox.ts';
import type { SandboxIssuer } from './issuer/index.ts';
import { resetHint } from './reset-hint.ts';
import { readSandboxFile, type SandboxFacts, type SandboxFile, writeSandboxFile } from './sandbox-file.ts';
import type { SandboxSecrets } from './secrets.ts';
import { unfinishedOn } from './unfinished-on.ts';
import { useCards } from './world/cards.ts';
import { makeConsentLink } from './world/connect.ts';
import { loadWorld, type World } from './world/load-world.ts';
import { recordPortfolio } from './world/portfolio.ts';
import { makeUnfinishedPayouts } from './world/unfinished-payouts.ts';
import { keepOrCreateEndpoint } from './world/webhooks.ts';

const sandboxOperator = { kind: 'operator', name: 'sandbox', role: 'admin' } as const;

/** Brings the database to this release, before the demo data and the server. */
export async function migrateSandbox(
  databaseUrl: string,
  { isEmbedded, onStep }: { isEmbedded: boolean; onStep(text: string): void },
): Promise<void> {
  await migrate(databaseUrl, { functions: 'own', onStep }).catch((error) => {
    if (!(error instanceof StartupError)) throw unreachable(error);
    // --reset does not empty an operator's own database.
    if (!isEmbedded) throw error;
    throw new StartupError(`${error.message} ${resetHint}`, { cause: error });
  });
}

/** Loads the demo data, before the first request is answered. */
export async function loadDemo(
  config: Config,
  { home, log, cardIssuer }: { home: string; log: Log; cardIssuer: SandboxIssuer },
): Promise<World & Pick<SandboxFile, 'cards'>> {
  const deps = createDeps(config, log);
  const ctx = contextFor(deps, sandboxOperator, log);
  try {
    const world = await patiently(() => loadWorld(ctx, readSandboxFile(home)));
    const cards = await patiently(() => useCards(ctx, cardIssuer));
    await patiently(() => recordPortfolio(ctx));
    return { ...world, cards };
  } finally {
    await deps.db.end();
  }
}

interface DemoOptions {
  home: string;
  facts: SandboxFacts;
  secrets: SandboxSecrets;
  cardIssuer: SandboxIssuer;
  log: Log;
  startedAt: number;
  /** Called with how to use it, before the payouts of the demo data take the CPU. */
  onReady(text: string): void;
}

/** The server, with the sandbox's page at `/`. Writes `sandbox.json`. */
export async function serveDemo(config: Config, options: DemoOptions): Promise<RunningServer> {
  const { home, facts, secrets, cardIssuer, log, startedAt, onReady } = options;
  const [inbox, staffLinks] = [new Inbox(), new StaffLinks()];
  return serve(config, log, ['api', 'worker'], {
    door: createDoor(facts, secrets, { inbox, staffLinks }),
    async beforeWork({ url, deps }) {
      await cardIssuer.setWebhook({ url: `${url}/issuer/events`, secret: secrets.cardWebhookSecret });
      const urls = { baseUrl: url, historyUrl: url, mcpUrl: url, operatorUrl: url };
      const ctx = contextFor(deps, sandboxOperator, log);
      const webhook = await patiently(() => keepOrCreateEndpoint(ctx, readSandboxFile(home)?.webhook, url));
      inbox.setKeys(webhook);
      const sandbox: SandboxFile = { ...urls, ...facts, webhook };
      writeSandboxFile(home, sandbox);
      const consentLink = await patiently(() => makeConsentLink(ctx, sandbox));
      const links = {
        consentLink,
        consoleLink: staffLinks.issue('operator', deps),
        partnerLink: staffLinks.issue('partner', deps),
      };
      onReady(describeSandbox(sandbox, { home, elapsedMs: performance.now() - startedAt, ...links }));
      await makeUnfinishedPayouts(deps, {
        network: config.networks.find(({ network }) => network === unfinishedOn)!,
        spareWalletKey: secrets.spareWalletKey,
        tokenIssuerKey: secrets.issuerKey,
        sandbox,
        actor: sandboxOperator,
      }).catch((error) => log.warn({ err: error }, 'the demo lacks its unfinished payouts'));
    },
  });
}

/** On a busy machine the database may not answer in time; these steps can be repeated, as after a kill. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || attempt === 5) throw error;
    }
  }
}
