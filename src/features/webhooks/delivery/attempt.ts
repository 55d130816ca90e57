import type { Ctx } from '#context';
import { OutgoingFault, OutgoingRefusal } from '#platform/outgoing/index';
import type { Attempt, ClaimedDelivery } from '../queries/claims.ts';
import { nextDelayMs, readRetryAfter } from './schedule.ts';
import { openKeys } from './seal-keys.ts';
import { signedHeaders } from './sign.ts';

const answerBytesMax = 4_096;

/** Sends a delivery once. What went wrong is in the attempt; it throws only if it is aborted. */
export async function attemptDelivery(
  { outgoing, sealer, log }: Pick<Ctx, 'outgoing' | 'sealer' | 'log'>,
  delivery: ClaimedDelivery,
  { now, signal, timeoutMs }: { now: Date; signal: AbortSignal; timeoutMs: number },
): Promise<Attempt> {
  const { id, endpointId, eventId, url, body, claimedUntil } = delivery;
  const number = delivery.attempts + 1;
  const sealed = [delivery.secret, ...(delivery.formerSecret ? [delivery.formerSecret] : [])];
  const begun = performance.now();
  const base = { deliveryId: id, claimedUntil, url, startedAt: now };
  const lasted = () => Math.round(performance.now() - begun);
  try {
    const keys = sealed.map((one) => openKeys(sealer, endpointId, one));
    const timestamp = Math.floor(now.getTime() / 1_000);
    const answer = await outgoing.post(url, {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Causeway-Webhooks/1',
        ...signedHeaders({ id: eventId, timestamp, body }, keys),
      },
      body,
      timeoutMs,
      answerBytesMax,
      signal,
    });
    const { status } = answer;
    const isDelivered = status >= 200 && status < 300;
    const retryAfter = [answer.headers['retry-after']].flat()[0];
    return {
      ...base,
      durationMs: lasted(),
      status,
      error: isDelivered ? null : describeStatus(status),
      answer: textOf(answer.body),
      outcome: isDelivered ? 'delivered' : status === 410 ? 'gone' : 'failed',
      // Also after a 410: disabling the endpoint, which ends all that waits, is another step.
      retryMs: nextDelayMs(number, { retryAfterMs: readRetryAfter(status, retryAfter, now) }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const isKnown = error instanceof OutgoingFault || error instanceof OutgoingRefusal;
    if (!isKnown) log.error({ err: error, endpointId }, 'a webhook could not be sent: internal error');
    return {
      ...base,
      durationMs: lasted(),
      status: null,
      error: isKnown ? error.message : 'An internal error: the delivery was not sent.',
      answer: '',
      outcome: 'failed',
      // A forbidden address stays forbidden.
      retryMs: error instanceof OutgoingRefusal ? undefined : nextDelayMs(number),
    };
  }
}

const describeStatus = (status: number) =>
  status >= 300 && status < 400
    ? `The endpoint answered ${status}: redirects are not followed.`
    : `The endpoint answered ${status}.`;

/** PostgreSQL stores no NUL, and a cut may end within a character. */
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd');
