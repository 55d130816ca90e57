import { defineTokens } from '#platform/secrets/token';

/** `cwi_…`: an integration's key, accepted only in `x-api-key`. */
export const { create: createToken, parse: parseToken } = defineTokens('cwi');
