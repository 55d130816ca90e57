export { createOpenid, type Identity, type Openid, OpenidFault, type OpenidSettings } from './openid.ts';
