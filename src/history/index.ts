export { type HistoryReader, historyRoutes } from './routes.ts';
