export { operatorTags } from './reference.ts';
export { operatorRoutes } from './routes.ts';
