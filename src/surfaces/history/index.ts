export type { HistoryReader } from './reader.ts';
export { historyRoutes } from './routes.ts';
