export type { HistoryReader } from './reader.ts';
export { historyRoutes, type StatementMaker } from './routes.ts';
