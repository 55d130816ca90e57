export { partnerPages } from './routes.ts';
