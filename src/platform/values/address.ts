import { BlockList, isIP } from 'node:net';

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Why a text is not a CIDR block, or undefined if it is one. A bare address counts as a block of one. */
export function faultInCidr(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0)
    return `${text} is not an address or CIDR block`;
  if (prefix === undefined) return undefined;
  const bitsMax = version === 4 ? 32 : 128;
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bitsMax)
    return `${text} has a prefix outside 0 to ${bitsMax}`;
  return undefined;
}

/**
 * An entry of `X-Forwarded-For`, which some proxies write with a port: `1.2.3.4:5678` or
 * `[2001:db8::1]:5678`.
 */
export function withoutPort(entry: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? dotted ?? entry;
}

/**
 * What one caller has: an IPv4 address, or the 64 bits of IPv6 that a provider gives to one customer, who can
 * choose among all addresses below.
 */
export function homeOf(address: string): string {
  if (isIP(address) !== 6 || address.includes('.')) return address;
  const [before = '', after] = address.split('%')[0]!.toLowerCase().split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [start, end] = [groups(before), groups(after)];
  const zeros = after === undefined ? 0 : 8 - start.length - end.length;
  const all = [...start, ...Array.from({ length: zeros }, () => '0'), ...end];
  const home = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${home.join(':')}::/64`;
}

/**
 * True if `address` lies in one of the blocks. An IPv4 address mapped into IPv6 counts as the IPv4 address.
 */
export const isInBlocks = (address: string, blocks: readonly string[]): boolean =>
  blockCheck(blocks)(address);

/** A block with both ends of IPv4 in it, in any spelling, covers all of it. */
export const coversAllOfIpv4 = (block: string): boolean =>
  ['0.0.0.0', '255.255.255.255'].every((end) => isInBlocks(end, [block]));

/** The same for many addresses. */
export function blockCheck(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    if (prefix === undefined) list.addAddress(network, familyOf(network));
    else list.addSubnet(network, Number(prefix), familyOf(network));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** True if every block of `inner` lies in one of `outer`. An empty list means every address. */
export function isWithinBlocks(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true;
  return inner.length > 0 && inner.every((block) => outer.some((wider) => isWithinBlock(block, wider)));
}

function isWithinBlock(inner: string, outer: string): boolean {
  const [one, other] = [inner, outer].map((block) => {
    const [address = '', prefix] = block.split('/');
    const family = familyOf(address);
    return { address, family, bits: prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix) };
  }) as [Block, Block];
  return one.family === other.family && one.bits >= other.bits && isInBlocks(one.address, [outer]);
}

interface Block {
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}
