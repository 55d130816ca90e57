import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { after } from 'node:test';

export interface NameServer {
  /** As a resolver takes it. */
  address: string;
  /** The addresses that the next queries are answered with; undefined: no such name. */
  answer(name: string): readonly string[] | undefined;
  /** Queries so far, such as `A hooks.example.com`. */
  queries: string[];
}

const types: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };

/** A real name server on loopback. Call it once at the top of a test file; it stops after the last test. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = { address: '', answer: () => undefined, queries: [] };
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    server.queries.push(`${types[type]} ${name}`);
    const found = server.answer(name);
    const records = (found ?? []).filter((one) => isIPv6(one) === (types[type] === 'AAAA'));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(found ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records.map(recordOf)]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  after(() => void socket.close());
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** It may be cached for 0 seconds, as a rebinding server says. */
function recordOf(address: string): Buffer {
  const bytes = isIPv6(address) ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 16 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

/** The parser of URLs writes the last 32 bits in hexadecimal, too. */
function ipv6Bytes(address: string): Buffer {
  const [start = '', end] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(start), groups(end ?? '')];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
