import { readerOf, type Setting } from './setting.ts';
import { brand } from './settings/brand.ts';
import { commandLine } from './settings/command-line.ts';
import { essential, replicas } from './settings/essential.ts';
import { mcp } from './settings/mcp.ts';
import { nodes } from './settings/nodes.ts';
import { openid } from './settings/openid.ts';
import { payouts } from './settings/payouts.ts';
import { processLimits } from './settings/process.ts';
import { server } from './settings/server.ts';
import { services } from './settings/services.ts';
import { tokens } from './settings/tokens.ts';
import { webhooks } from './settings/webhooks.ts';

/** Every environment variable that Causeway reads, in the order of docs/settings.md and `.env.example`. */
export const settings = {
  ...essential,
  ...replicas,
  ...server,
  ...openid,
  ...brand,
  ...nodes,
  ...payouts,
  ...tokens,
  ...services,
  ...webhooks,
  ...mcp,
  ...processLimits,
  ...commandLine,
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The text of one variable, before its parser. Throws a `ConfigFault` if its file cannot be read. */
export const readSetting = readerOf<SettingName>(settings);
