import { coversAllOfIpv4, faultInCidr } from '#platform/values/address';
import { itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** Which receivers partners may name. */
export const webhooks = {
  WEBHOOK_PORTS: {
    meaning: 'Ports of webhook receivers, separated by commas.',
    default: '443,8443',
    parse: parsePorts,
  },
  WEBHOOK_ALLOWED_BLOCKS: {
    meaning:
      'CIDR blocks of your network where webhook receivers may be, separated by commas. Otherwise a receiver must have a public address.',
    default: '',
    example: '10.20.0.0/16,fd12:3456::/32',
    parse: parseAllowedBlocks,
  },
} satisfies Record<string, Setting>;

function parsePorts({ text, fault }: Reading): number[] {
  const ports = itemsOf(text).map((item) => (/^\d{1,5}$/.test(item) ? Number(item) : 0));
  if (ports.length === 0 || !ports.every((port) => port >= 1 && port <= 65_535))
    fault('WEBHOOK_PORTS must be whole numbers from 1 to 65535, separated by commas.');
  return ports;
}

function parseAllowedBlocks({ text, fault }: Reading): string[] {
  const blocks = itemsOf(text);
  for (const block of blocks) {
    const reason = faultInCidr(block) ?? faultInAllowance(block);
    if (reason) fault(`WEBHOOK_ALLOWED_BLOCKS: ${reason}.`);
  }
  return blocks;
}

/** A partner could then reach every service of the operator's network. */
const faultInAllowance = (block: string) =>
  coversAllOfIpv4(block)
    ? `${block} would allow every address; name the blocks of your receivers`
    : undefined;
