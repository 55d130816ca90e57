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

interface Written {
  text: string;
  types: readonly string[];
}

/** The union of all events, which `type` tells apart. */
export function writeEvents(document: ClientDocument): string {
  const { text, types } = document.webhooks ? writeReferenced(document) : writeListed();
  return `${text}
export const eventTypes: readonly string[] = [
${types.map((type) => `  '${type}',\n`).join('')}];

export type EventType = keyof EventsByType;

/**
 * An event of a type that a newer server has and this client does not know. Ignore it, or read
 * \`receivedType\`.
 */
export interface UnknownEvent {
  id: string;
  type: 'unknown';
  /** The type that the server sent. */
  receivedType: string;
  timestamp: string;
  sequence: number;
  apiVersion: string;
  data: { object: Record<string, unknown>; previousStatus?: string };
}

/** An event of the feed or of a webhook; \`type\` tells which. */
export type CausewayEvent = EventsByType[EventType] | UnknownEvent;
`;
}

/** The reference has the schema of each event as the body of a webhook; its `type` is a constant. */
function writeReferenced({ webhooks = {}, components }: ClientDocument): Written {
  const types: string[] = [];
  const lines = Object.entries(webhooks).map(([name, { post }]) => {
    const { schema } = post.requestBody.content['application/json'];
    const { properties } = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema;
    const type: unknown = properties.type.const ?? properties.type.enum?.[0];
    if (typeof type !== 'string') throw new Error(`The type of the event ${name} is no constant`);
    types.push(type);
    return `  '${type}': Body<'${name}'> & { type: '${type}' };\n`;
  });
  const text = `import type { webhooks } from './types.ts';

type Body<T extends keyof webhooks> = NonNullable<
  webhooks[T]['post']['requestBody']
>['content']['application/json'];

export interface EventsByType {
${lines.join('')}}
`;
  return { text, types };
}

function writeListed(): Written {
  const lines = Object.entries(objectsBefore).map(
    ([type, schema]) =>
      `  '${type}': Event<'${type}', ${schema ? `Schemas['${schema}']` : 'Record<string, unknown>'}>;\n`,
  );
  const text = `import type { components } from './types.ts';

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
  return { text, types: Object.keys(objectsBefore) };
}
