import { itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** What `causeway serve` needs. */
export const essential = {
  DATABASE_URL: {
    meaning:
      'PostgreSQL 18 or later, `postgres://user:password@host:port/database`. The sandbox includes one.',
    example: 'postgres://causeway@localhost:5432/causeway',
    secret: true,
    parse: ({ text, fault }) => {
      if (text !== '' && !/^postgres(ql)?:\/\/\S+$/.test(text))
        fault('DATABASE_URL must start with postgres:// or postgresql://.');
      return text;
    },
  },
  OPERATOR_TOKENS: {
    meaning:
      'Operators who may use the operator API: `name:token`, separated by commas. A token has at least 32 characters.',
    example: 'alice:<openssl rand -hex 20>',
    secret: true,
    parse: parseOperatorTokens,
  },
  ENCRYPTION_KEYS: {
    meaning:
      'Master keys for personal data at rest: `version:base64 of 32 bytes`, separated by commas. The highest version encrypts.',
    example: '1:<openssl rand -base64 32>',
    secret: true,
    parse: parseEncryptionKeys,
  },
} satisfies Record<string, Setting>;

function parseOperatorTokens({ text, fault }: Reading): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const item of itemsOf(text)) {
    const [, name, token] = /^([A-Za-z0-9_.@-]{1,60}):(\S{32,200})$/.exec(item) ?? [];
    if (name && token && !tokens.has(name)) tokens.set(name, token);
    else fault('OPERATOR_TOKENS must be name:token pairs, names unlike, each token 32 to 200 characters.');
  }
  return tokens;
}

function parseEncryptionKeys({ text, fault }: Reading): ReadonlyMap<number, Buffer> {
  const keys = new Map<number, Buffer>();
  for (const item of itemsOf(text)) {
    const [, version, base64] = /^([1-9]\d{0,3}):([A-Za-z0-9+/_-]{43}=?)$/.exec(item) ?? [];
    if (!version || !base64) fault('ENCRYPTION_KEYS must be version:key pairs, each key 32 bytes in base64.');
    else if (keys.has(Number(version))) fault(`ENCRYPTION_KEYS has version ${version} more than once.`);
    else keys.set(Number(version), Buffer.from(base64, 'base64'));
  }
  return keys;
}
