import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '#adapters/evm';
import {
  type CallFault,
  chooseCallFault,
  chooseTransportFault,
  type Fault,
  type FaultMix,
  type TransportFault,
} from './fault-mix.ts';
import { answerBehind, askBehind, type RpcAnswer, type RpcRequest } from './lagging.ts';
import type { Random } from './random.ts';

export interface FaultProxy {
  url: string;
  /** Counted while there is a mix of faults. */
  calls: number;
  faulted: number;
  byFault: Map<Fault, number>;
  /** Bytes that it kept and passed on later. */
  passedOnLate: number;
  /** From now on everything goes through as it is, or again as the mix says. */
  setMix(mix: FaultMix | undefined): void;
  /** All that it is asked is answered as by a node so many blocks behind; 0 ends it. */
  setLag(blocks: number): void;
  /** Says of every payment in a block that it was reverted, or tells the truth again. */
  setLying(isLying: boolean): void;
  stop(): Promise<void>;
}

/**
 * The operator's API gets late and lost answers and lies, but no other false ones: recover needs hundreds of
 * true answers in a row.
 */
export const operatorPath = '/operator';

const keptMsMax = 60_000;

const falseWords: Partial<Record<CallFault, string>> = {
  'already known': 'already known',
  'nonce too low': 'nonce too low',
  underpriced: 'replacement transaction underpriced',
  'insufficient funds': 'insufficient funds for gas * price + value',
  refused: 'header not found',
};

/** Stands between workers and a real node: what it forwards is true, what it says about it need not be. */
export async function startFaultProxy(nodeUrl: string, random: Random): Promise<FaultProxy> {
  let mix: FaultMix | undefined;
  let lag = 0;
  let isLying = false;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: 0,
    faulted: 0,
    byFault: new Map(),
    passedOnLate: 0,
    setMix(next) {
      mix = next;
      if (!next) for (const passOn of kept) passOn();
    },
    setLag(blocks) {
      lag = blocks;
    },
    setLying(next) {
      isLying = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  /**
   * What a node that says ok seems to forget may reach the others much later, also after the database has
   * lost it.
   */
  const kept = new Set<() => void>();
  function keep(call: RpcRequest): void {
    const passOn = () => {
      clearTimeout(timer);
      kept.delete(passOn);
      proxy.passedOnLate += 1;
      void ask([{ ...call, jsonrpc: '2.0', id: 0 }]).catch(() => {});
    };
    const timer = setTimeout(passOn, random.between(1_000, keptMsMax));
    kept.add(passOn);
  }

  const note = (fault: Fault, count = 1) => {
    if (!mix) return;
    proxy.faulted += count;
    proxy.byFault.set(fault, (proxy.byFault.get(fault) ?? 0) + count);
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readText(request)) as RpcRequest | RpcRequest[];
    const calls = Array.isArray(body) ? body : [body];
    if (mix) proxy.calls += calls.length;
    const fault = mix && chooseTransportFault(mix, random);
    if (fault) note(fault, calls.length);
    if (fault === 'reset before') return reset(request);
    if (fault === '429') return void response.writeHead(429).end('slow down');
    const answers = await answerCalls(calls, fault === undefined && request.url !== operatorPath);
    if (fault) return endBadly(fault, request, response, answers, Array.isArray(body));
    send(response, answers, Array.isArray(body));
  }

  /** One exchange with the node for all of them; each is falsified on its own. */
  async function answerCalls(calls: readonly RpcRequest[], mayFalsify: boolean): Promise<RpcAnswer[]> {
    const plans = calls.map((call) => {
      const fault = mix && mayFalsify ? chooseCallFault(mix, call.method, random) : undefined;
      const behind = fault === 'stale' ? random.between(1, 3) : lag;
      return { call, fault, behind, asked: call };
    });
    if (plans.some(({ behind }) => behind > 0)) {
      const head = await readHead();
      for (const plan of plans.filter(({ behind }) => behind > 0)) {
        plan.asked = askBehind(plan.call, head, plan.behind);
      }
      return finish(plans, head);
    }
    return finish(plans, 0);
  }

  interface Plan {
    call: RpcRequest;
    asked: RpcRequest;
    fault: CallFault | undefined;
    behind: number;
  }

  async function finish(plans: readonly Plan[], head: number): Promise<RpcAnswer[]> {
    // False words about a send are sometimes said of one that arrived all the same.
    const isKept = plans.map(
      ({ fault }) =>
        fault === 'swallowed' || (fault !== undefined && fault in falseWords && random.chance(0.5)),
    );
    const forwarded = plans.flatMap(({ asked, fault }, at) => {
      if (isKept[at]) return [];
      const one = { ...asked, jsonrpc: '2.0', id: at };
      return fault === 'duplicated' ? [one, { ...one, id: -1 - at }] : [one];
    });
    for (const { call, fault } of plans) if (fault === 'swallowed' && random.chance(0.5)) keep(call);
    const truths = new Map((await ask(forwarded)).map((one) => [one.id, one]));
    return plans.map(({ call, asked, fault, behind }, at) => {
      const said = { ...truths.get(at), jsonrpc: '2.0', id: call.id };
      const seen = behind > 0 ? answerBehind(call, said, head, behind) : said;
      if (fault) note(fault);
      else if (asked !== call || seen !== said) note('stale');
      if (fault === 'no receipt') return { jsonrpc: '2.0', id: call.id, result: null };
      if (fault === 'swallowed') return { jsonrpc: '2.0', id: call.id, result: hashOfSend(call) };
      const lie = isLying && lieAbout(call, seen);
      if (lie) note('lie');
      const words = fault && falseWords[fault];
      if (lie && !words) return lie;
      return words ? { jsonrpc: '2.0', id: call.id, error: { code: -32000, message: words } } : seen;
    });
  }

  async function ask(calls: readonly object[]): Promise<RpcAnswer[]> {
    if (calls.length === 0) return [];
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    });
    return (await response.json()) as RpcAnswer[];
  }

  async function readHead(): Promise<number> {
    const [head] = await ask([{ jsonrpc: '2.0', id: 0, method: 'eth_blockNumber', params: [] }]);
    return Number(head!.result);
  }

  async function endBadly(
    fault: TransportFault,
    request: IncomingMessage,
    response: ServerResponse,
    answers: readonly RpcAnswer[],
    isArray: boolean,
  ): Promise<void> {
    if (fault === 'reset after') reset(request);
    else if (fault === '500 after') response.writeHead(500).end('internal error');
    else if (fault === '502 after') response.writeHead(502).end('<html>bad gateway</html>');
    else if (fault === 'late') {
      await sleep(random.between(50, 900));
      send(response, answers, isArray);
    }
    // A timeout: the connection stays open until the caller gives up.
  }

  return proxy;
}

/**
 * A reset of a socket that is being ended leaves Node with a handle that never closes, and the process would
 * not exit.
 */
function reset({ socket }: IncomingMessage): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** A successful receipt as one of a transaction that moved nothing. */
function lieAbout({ method }: RpcRequest, answer: RpcAnswer): RpcAnswer | undefined {
  const receipt = answer.result as { status?: unknown } | null | undefined;
  if (method !== 'eth_getTransactionReceipt' || receipt?.status !== '0x1') return undefined;
  return { ...answer, result: { ...receipt, status: '0x0', logs: [] } };
}

const hashOfSend = ({ params }: RpcRequest) => hashOf(Buffer.from(String(params[0]).slice(2), 'hex'));

function send(response: ServerResponse, answers: readonly RpcAnswer[], isArray: boolean): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isArray ? answers : answers[0]));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
