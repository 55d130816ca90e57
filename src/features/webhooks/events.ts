import type { EventFamily } from '#features/events';
import { endpointExample } from './reference.ts';
import { endpointView } from './wire.ts';

export const webhookEvents: EventFamily = {
  audience: ['partner', 'integration'],
  types: [
    {
      type: 'webhook_endpoint.disabled',
      words:
        'An endpoint was disabled by the operator, because it answered 410 or failed for five days, or because the key that set it was stopped',
    },
    { type: 'webhook_endpoint.tested', words: 'You asked for a test; it is sent to that endpoint only' },
  ],
  object: endpointView,
  example: endpointExample,
};
