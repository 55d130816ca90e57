import { type CausewayEvent, eventTypes } from './generated/events.ts';

const known = new Set(eventTypes);

/** An event as it was received; one of a type that this client does not know becomes an `UnknownEvent`. */
export function recognizeEvent(received: { type?: unknown }): CausewayEvent {
  const { type } = received;
  const isKnown = typeof type !== 'string' || known.has(type);
  return (
    isKnown ? received : Object.assign(received, { type: 'unknown', receivedType: type })
  ) as CausewayEvent;
}
