import { isIP } from 'node:net';
import { addressCheck, isLoopbackAddress } from './addresses.ts';
import { OutgoingRefusal } from './errors.ts';

export interface OutgoingPolicy {
  /** Plain http, on any port, to addresses of this machine. */
  allowsLoopbackHttp: boolean;
  ports: readonly number[];
  /** CIDR blocks that may be connected to although they are not public. */
  allowedBlocks: readonly string[];
}

const lengthMax = 2_048;

/** Parses a URL and judges all that needs no name resolution. Throws an `OutgoingRefusal`. */
export type JudgeUrl = (text: string) => URL;

export function urlJudge(policy: OutgoingPolicy): JudgeUrl {
  const isAllowed = addressCheck(policy.allowedBlocks);
  return (text) => {
    // The parser writes every spelling of an IPv4 address, such as 0x7f.1, as four decimal numbers.
    const url = text.length > lengthMax ? undefined : URL.parse(text);
    const message = url ? faultInUrl(url, policy, isAllowed) : faultInText(text);
    if (message !== undefined) throw new OutgoingRefusal(message);
    return url!;
  };
}

const faultInText = (text: string) =>
  text.length > lengthMax
    ? `The URL must have at most ${lengthMax} characters.`
    : 'The URL is not valid: write one such as https://hooks.example.com/path.';

function faultInUrl(
  url: URL,
  policy: OutgoingPolicy,
  isAllowed: (address: string) => boolean,
): string | undefined {
  if (url.username || url.password) return 'The URL must have no user name or password before its host.';
  if (url.hash) return 'The URL must have no fragment: remove # and what follows it.';
  const host = hostOf(url);
  if (url.protocol === 'http:' && policy.allowsLoopbackHttp && isThisMachine(host)) return undefined;
  if (url.protocol !== 'https:') return 'The URL must start with https://.';
  const port = Number(url.port || 443);
  if (!policy.ports.includes(port)) return `Port ${port} is not allowed: use ${policy.ports.join(' or ')}.`;
  if (isIP(host) !== 0)
    return isAllowed(host) ? undefined : 'This address is not allowed: it is not a public address.';
  return faultInName(host, policy.allowedBlocks.length > 0);
}

/** An IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

const isThisMachine = (host: string) => host === 'localhost' || isLoopbackAddress(host);

/**
 * Private names are refused early, because no public address can be meant. Operators with their own blocks
 * may have such names in them; the addresses decide then.
 */
function faultInName(name: string, hasOwnBlocks: boolean): string | undefined {
  if (name.endsWith('.')) return 'The host must not end with a dot.';
  const labels = name.split('.');
  if (labels.at(-1) === 'localhost' || (!hasOwnBlocks && isPrivateName(labels)))
    return 'The host must be a public name, such as hooks.example.com.';
  return undefined;
}

const privateDomains = ['arpa', 'corp', 'home', 'internal', 'intranet', 'lan', 'local', 'localdomain'];

const isPrivateName = (labels: readonly string[]) =>
  labels.length === 1 || privateDomains.includes(labels.at(-1)!);
