export { type ConnectPageOptions, connectPages } from './routes.ts';
export { statementPages } from './statement-routes.ts';
