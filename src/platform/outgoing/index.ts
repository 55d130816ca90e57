export { OutgoingFault, OutgoingRefusal } from './errors.ts';
export type { OutgoingAnswer } from './exchange.ts';
export type { OutgoingPolicy } from './judge-url.ts';
export { createOutgoing, type Outgoing, type OutgoingPost } from './outgoing.ts';
export { traceOutgoing } from './trace-outgoing.ts';
