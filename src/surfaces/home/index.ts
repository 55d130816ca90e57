export { type Door, homeRoutes } from './routes.ts';
