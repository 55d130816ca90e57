import { defineTokens } from '#platform/secrets/token';

/** `cwi_…`: what an integration's key is presented as, in `x-api-key` and nowhere else. */
export const { create: createToken, parse: parseToken } = defineTokens('cwi');
