export { operatorTags } from './reference.ts';
export { rolesCommand } from './roles-command.ts';
export { operatorRoutes } from './routes.ts';
