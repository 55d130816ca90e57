/** What a text must be, by the pattern of its schema: a caller never reads a regular expression. */
const forms: Readonly<Record<string, string>> = {
  '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$':
    'must be a UUID, such as 0198a0de-5f3c-7000-8000-1c2d3e4f5a6b',
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$':
    'must be one line of text, without control characters or characters that change its direction',
  '^0x[0-9a-fA-F]{40}$': 'must be an address: 0x and 40 hexadecimal digits',
  '^0x[0-9a-fA-F]{64}$': 'must be a transaction hash: 0x and 64 hexadecimal digits',
  '^0[xX][0-9a-fA-F]{40}$': 'must be an address: 0x and 40 hexadecimal digits',
  '^0[xX][0-9a-fA-F]{64}$': 'must be a transaction hash: 0x and 64 hexadecimal digits',
  '^[a-z0-9-]{1,40}$': 'must be the name of a network, such as polygon',
  '^[A-Za-z0-9-]{1,40}$': 'must be the name of a network, such as polygon',
  '^[a-z0-9][a-z0-9-]{0,39}$': 'must be the name of a network, such as polygon',
  '^[A-Za-z0-9]{1,20}$': 'must be the symbol of a token, such as USDT',
  '^[A-Za-z0-9.]{1,20}$': 'must be the symbol of a token, such as USDT',
  '^[A-Z0-9][A-Za-z0-9.-]{0,19}$': 'must be the symbol of a token, such as ETH',
  '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$': 'must be an id of the card issuer, as other answers have it',
  '^[A-Z]{2}$': 'must be a country code of two capital letters, such as DE',
  '^[A-Z]{3}$': 'must be a currency code of three capital letters, such as EUR',
  '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$': 'must be a decimal amount, such as 12.5',
  '^(0|[1-9][0-9]{0,30})(\\.[0-9]{1,18})?$': 'must be a decimal amount, such as 12.5',
  '^(0|[1-9][0-9]{0,30})(\\.[0-9]{1,36})?$': 'must be a decimal amount, such as 12.5',
  '^[1-9][0-9]{0,17}$': 'must be a whole number above zero',
  '^#[0-9a-fA-F]{6}$': 'must be a color, such as #1a7f5a',
  '^[a-z2-7]{16}$': 'must be the 16 characters after cwk_ in a key',
  '^[A-Za-z0-9+/]+={0,2}$': 'must be base64',
  '^[!-~]+$': 'must be ASCII characters without spaces',
  '^(?:\\d{1,18}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$':
    'must be the number of a row or the id of a withdrawal, such as 4711',
  '^[a-z.-]+$': 'must be the name of an action, such as keys.issue',
  '^[a-z-]+:[!-~]+$': 'must be a kind and an id, such as user:0198a0de-5f3c-7000-8000-1c2d3e4f5a6b',
};

const formats: Readonly<Record<string, string>> = {
  'date-time': 'must be an instant, such as 2026-01-31T12:00:00Z',
};

const count = (limit: unknown, unit: string) => `${limit} ${unit}${limit === 1 ? '' : 's'}`;

/**
 * What is wrong with a value by the keyword of the schema that it breaks; undefined for the library's own
 * words.
 */
export function describeForm(keyword: string, params: object): string | undefined {
  const { limit, pattern, format } = params as Record<'limit' | 'pattern' | 'format', unknown>;
  switch (keyword) {
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${count(limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${count(limit, 'character')}`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${count(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(limit, 'item')}`;
    case 'minProperties':
      return `must have at least ${count(limit, 'field')}`;
    case 'uniqueItems':
      return 'must not have the same item twice';
    case 'pattern':
      return formOf(pattern) ?? 'does not have the required form';
    case 'format':
      return formats[String(format)] ?? 'does not have the required form';
  }
  return undefined;
}

export function formOf(pattern: unknown): string | undefined {
  return forms[pattern instanceof RegExp ? pattern.source : String(pattern)];
}
