export { type HistoryReader, historyRoutes, type StatementMaker } from './routes.ts';
