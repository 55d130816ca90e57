export { type ConnectPageOptions, connectPages } from './routes.ts';
