import { defineTokens } from '../platform/token.ts';

/** `cwk_…`: what a partner's key is presented as. */
export const { create: createToken, parse: parseToken } = defineTokens('cwk');
