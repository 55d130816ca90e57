import type { ClientDocument } from './prune-document.ts';

/** The objects of events while the reference has no `webhooks`; an empty text is any object. */
const objectsBefore: Record<string, string> = {
  'withdrawal.queued': 'Withdrawal',
  'withdrawal.pending': 'Withdrawal',
  'withdrawal.processing': 'Withdrawal',
  'withdrawal.completed': 'Withdrawal',
  'withdrawal.failed': 'Withdrawal',
  'deposit.posted': '',
  'ledger.line_posted': 'LedgerNode',
  'card.created': '',
  'card.updated': '',
  'card_transaction.authorized': '',
  'card_transaction.settled': '',
  'card_transaction.declined': '',
  'card_transaction.refunded': '',
  'card_refill.completed': '',
  'card_refill.failed': '',
  'consent.granted': '',
  'consent.reduced': '',
  'consent.revoked': '',
  'consent.expired': '',
  'key.rotated': '',
  'key.revoked': '',
};

/** The union of all events, which `type` tells apart. */
export function writeEvents(document: ClientDocument): string {
  return `${document.webhooks ? writeReferenced(document) : writeListed()}
export type EventType = keyof EventsByType;

/** An event of the feed or of a webhook. A newer server may send more types: ignore those. */
export type CausewayEvent = EventsByType[EventType];
`;
}

/** The reference has the schema of each event as the body of a webhook; its `type` is a constant. */
function writeReferenced({ webhooks = {}, components }: ClientDocument): string {
  const lines = Object.entries(webhooks).map(([name, { post }]) => {
    const { schema } = post.requestBody.content['application/json'];
    const { properties } = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema;
    const type: unknown = properties.type.const ?? properties.type.enum?.[0];
    if (typeof type !== 'string') throw new Error(`The type of the event ${name} is no constant`);
    return `  '${type}': Body<'${name}'> & { type: '${type}' };\n`;
  });
  return `import type { webhooks } from './types.ts';

type Body<T extends keyof webhooks> = NonNullable<
  webhooks[T]['post']['requestBody']
>['content']['application/json'];

export interface EventsByType {
${lines.join('')}}
`;
}

function writeListed(): string {
  const lines = Object.entries(objectsBefore).map(
    ([type, schema]) =>
      `  '${type}': Event<'${type}', ${schema ? `Schemas['${schema}']` : 'Record<string, unknown>'}>;\n`,
  );
  return `import type { components } from './types.ts';

type Schemas = components['schemas'];

interface Event<Type extends string, Subject> {
  id: string;
  type: Type;
  timestamp: string;
  /** Without gaps for each subscriber. */
  sequence: number;
  apiVersion: string;
  data: { object: Subject; previousStatus?: string };
}

export interface EventsByType {
${lines.join('')}}
`;
}
