import { defineTokens } from '#platform/secrets/token';

/** `cwk_…`: what a partner's key is presented as. */
export const { create: createToken, parse: parseToken } = defineTokens('cwk');

/** The part of a token that names the key. */
export const keyIdForm = /^[a-z2-7]{16}$/;
