export { webhookCommands } from './commands.ts';
export { deliverWebhooks } from './delivery/deliverer.ts';
export { webhookEvents } from './events.ts';
export { webhookGauges } from './gauges.ts';
export { webhookJobs } from './jobs.ts';
export { queueDeliveries } from './queue-deliveries.ts';
export { webhookRoutes } from './routes.ts';
