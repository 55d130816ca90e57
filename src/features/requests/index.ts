export { requestCommands } from './commands.ts';
export { requestJobs } from './jobs.ts';
export { flushRequests, noteRequests } from './note-requests.ts';
export { requestRoutes } from './routes.ts';
