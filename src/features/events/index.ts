export { eventErrors } from './errors.ts';
export { apiVersion, type EventFamily, type EventRecord, type EventType } from './event.ts';
export { eventGauges } from './gauges.ts';
export { eventJobs } from './jobs.ts';
export { type FeedPage, type FeedRequest, listEvents } from './list-events.ts';
export type { EventReader, NumberedEvent } from './queries.ts';
export { recordEvent } from './record-event.ts';
export { type DescribedEvent, describeEvents, familiesFor } from './wire.ts';
