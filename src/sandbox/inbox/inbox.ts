import { type ReceiverKeys, type Verification, verifySignature } from './verify-signature.ts';

export interface InboxMessage {
  number: number;
  receivedAt: string;
  eventId: string;
  type: string;
  verification: Verification;
  /** As it came. */
  body: string;
}

const kept = 200;

/** What the demo partner's endpoint received since the start, newest first. */
export class Inbox {
  #keys: ReceiverKeys | undefined;
  #messages: InboxMessage[] = [];
  #count = 0;

  /** Known once the endpoint exists. */
  setKeys(keys: ReceiverKeys): void {
    this.#keys = keys;
  }

  list(after = 0): readonly InboxMessage[] {
    return this.#messages.filter(({ number }) => number > after);
  }

  receive(headers: Record<string, string | string[] | undefined>, body: Buffer, now: Date): void {
    const header = (name: string) => String(headers[name] ?? '');
    const message = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      body,
    };
    const nothing = { hmac: false, ed25519: false, isFresh: false };
    this.#count += 1;
    this.#messages = [
      {
        number: this.#count,
        receivedAt: now.toISOString(),
        eventId: message.id,
        type: typeOf(body),
        verification: this.#keys ? verifySignature(message, this.#keys, now) : nothing,
        body: body.toString('utf8'),
      },
      ...this.#messages,
    ].slice(0, kept);
  }
}

function typeOf(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString('utf8')) as { type?: unknown }).type ?? 'no type');
  } catch {
    return 'not JSON';
  }
}
