export { type DeveloperOptions, developerPages } from './routes.ts';
