export { checksumAddress, parseAddress } from './address.ts';
