import { isIPv4, isIPv6 } from 'node:net';
import { blockCheck } from '../values/address.ts';

/** Of IPv4, everything but these is public. By the registry of special-purpose addresses, and by clouds. */
const specialIpv4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/** Global unicast. Loopback, private, link-local, multicast, mapped and translated ranges are outside it. */
const publicIpv6 = ['2000::/3'];

/** Ranges within global unicast that are special. */
const specialIpv6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which has an IPv4 address in it
  '3fff::/20', // documentation
];

/**
 * Never allowed, also if an operator's block has them in it. Metadata services hand out credentials of the
 * machine, and IPv4-mapped addresses reach IPv4 past the rules about IPv4.
 */
const neverIpv4 = ['169.254.0.0/16', '168.63.129.16', '100.100.100.200', '192.0.0.192'];
const neverIpv6 = ['::ffff:0:0/96', 'fe80::/10', 'fd00:ec2::/32', 'fd20:ce::254'];

const loopbackIpv4 = blockCheck(['127.0.0.0/8']);

export const isLoopbackAddress = (address: string): boolean =>
  isIPv4(address) ? loopbackIpv4(address) : address === '::1';

/**
 * Whether an address may be connected to: a public one, or one in `allowedBlocks`. What is not an address
 * may not. Blocks of IPv4 decide about IPv4 only, and those of IPv6 about IPv6 only.
 */
export function addressCheck(allowedBlocks: readonly string[]): (address: string) => boolean {
  const ipv4 = familyCheck({
    never: neverIpv4,
    allowed: allowedBlocks.filter((block) => !block.includes(':')),
    isPublic: not(blockCheck(specialIpv4)),
  });
  const isGlobal = blockCheck(publicIpv6);
  const isSpecial = blockCheck(specialIpv6);
  const ipv6 = familyCheck({
    never: neverIpv6,
    allowed: allowedBlocks.filter((block) => block.includes(':')),
    isPublic: (address) => isGlobal(address) && !isSpecial(address),
  });
  return (address) => (isIPv4(address) && ipv4(address)) || (isIPv6(address) && ipv6(address));
}

type Check = (address: string) => boolean;

const not =
  (check: Check): Check =>
  (address) =>
    !check(address);

function familyCheck(rules: { never: string[]; allowed: string[]; isPublic: Check }): Check {
  const isNever = blockCheck(rules.never);
  const isAllowed = blockCheck(rules.allowed);
  return (address) => !isNever(address) && (isAllowed(address) || rules.isPublic(address));
}
