export type { AllowedPlaces } from './origins.ts';
export { mcpRoutes } from './routes.ts';
