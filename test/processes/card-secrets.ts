// The whole service as a separate process for card-secrets.test.ts: creates cards and relays sessions whose
// keys it never had, then waits while its memory is read. It also has canaries, which the search must find;
// nobody else knows them until then.
import { randomInt } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';
import type { EncryptedSecrets } from '#adapters/issuer';
import type { Config } from '#config/config';
import { type Ctx, contextFor, type KeyActor } from '#context';
import { type CardReveal, catchUp, createCards, readRevealKey, revealCard } from '#features/cards';
import { Refusal } from '#platform/errors/errors';
import { createLog } from '#platform/observe/log';
import { serve } from '../../src/main.ts';

export type Order =
  | { kind: 'start'; config: Config; logFile: string; actor: KeyActor }
  | { kind: 'make-cards'; count: number }
  | { kind: 'reveal'; reveals: CardReveal[] }
  | { kind: 'write-heap'; file: string }
  | { kind: 'tell-canaries' };

export interface Cards {
  publicKey: string;
  cards: Omit<CardReveal, 'sessionId'>[];
}

/** In the order of the request; of one that was refused, the code. */
export type Outcomes = (EncryptedSecrets | string)[];

/** Where each of the numbers is. */
export type Canaries = Record<keyof typeof canaries, string>;

const makeNumber = () => Array.from({ length: 16 }, () => randomInt(1, 10)).join('');
const canaries = {
  plain: makeNumber(),
  wide: makeNumber(),
  grouped: makeNumber(),
  hex: makeNumber(),
  base64: makeNumber(),
  packed: makeNumber(),
  // A double has no room for the highest numbers of sixteen digits.
  double: makeNumber().replace(/^./, '4'),
  integer: makeNumber(),
  database: makeNumber(),
  log: makeNumber(),
  stdout: makeNumber(),
  stderr: makeNumber(),
};
// Beside their text, which is here anyway: the forms that a careless program would have them in.
const held = {
  // A character that Latin-1 does not have makes a string two bytes wide.
  wide: Buffer.from(`№ ${canaries.wide}`, 'utf16le').toString('utf16le'),
  grouped: Buffer.from(canaries.grouped.match(/.{4}/g)!.join(' ')),
  hex: Buffer.from(canaries.hex).toString('hex'),
  base64: Buffer.from(`{"pan":"${canaries.base64}"}`).toString('base64'),
  packed: Buffer.from(canaries.packed, 'hex'),
  double: Float64Array.of(Number(canaries.double)),
  integer: BigUint64Array.of(BigInt(canaries.integer)),
};
Object.assign(globalThis, { held });

let ctx: () => Ctx<KeyActor>;

async function obey(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'start': {
      const { config, logFile, actor } = order;
      const destination = { write: (line: string) => appendFileSync(logFile, line) };
      const log = createLog({ level: 'trace', destination });
      const { url, deps } = await serve(config, log, ['api', 'worker']);
      ctx = () => contextFor(deps, actor, log);
      log.info({ canary: canaries.log }, 'a canary');
      console.log(canaries.stdout);
      console.error(canaries.stderr);
      return url;
    }
    case 'make-cards': {
      const { userId } = ctx().actor;
      const wanted = { nickname: canaries.database, spendingLimit: '1' };
      const { cards } = await createCards(ctx(), { userId, cards: Array(order.count).fill(wanted) });
      const { publicKey } = await readRevealKey(ctx());
      const made: Cards = {
        publicKey,
        cards: cards.map(({ id, cardIssuerUserId }) => ({ userId, cardId: id, cardIssuerUserId })),
      };
      return made;
    }
    case 'reveal': {
      const outcomes: Outcomes = [];
      for (const reveal of order.reveals) outcomes.push(await revealCard(ctx(), reveal).catch(codeOf));
      await catchUp(ctx());
      return outcomes;
    }
    case 'write-heap':
      return writeHeapSnapshot(order.file, { exposeInternals: true, exposeNumericValues: true });
    case 'tell-canaries':
      return canaries;
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  ctx().log.warn({ err: error }, 'a reveal was refused');
  return error.code;
}

process.on('message', async (order: Order) => void process.send!(await obey(order)));
process.on('disconnect', () => process.exit());
process.send!('ready');
