export type { ConsoleOptions } from './mount.ts';
export { consolePages } from './routes.ts';
