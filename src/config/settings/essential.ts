import { isOperatorRole, type OperatorRole, operatorRoles } from '#operator-roles';
import { faultOfHosts, splitHosts } from '#platform/db/hosts';
import { databaseAddress, itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** What `causeway serve` needs. */
export const essential = {
  DATABASE_URL: {
    meaning:
      'PostgreSQL 18 or later, `postgres://user:password@host:port/database`. With several servers, `host:port,host:port`, the one that accepts writes is used, and the next one after a failover. The sandbox includes a server.',
    example: 'postgres://causeway@localhost:5432/causeway',
    secret: true,
    parse: ({ text, fault }) => {
      if (text !== '' && !databaseAddress.test(text))
        fault('DATABASE_URL must start with postgres:// or postgresql://.');
      else if (text !== '' && faultOfHosts(text)) fault(`DATABASE_URL ${faultOfHosts(text)}.`);
      return text;
    },
  },
  OPERATOR_TOKENS: {
    meaning:
      'Operators who may use the operator API: `name:role:token`, separated by commas. `causeway roles show` lists the roles. A token has at least 32 characters. An entry `name:token` is an administrator; the log warns of it. The token of a person is `email/name:role:token`: where two people must agree, it and that person count as one.',
    example: 'alice:admin:<openssl rand -hex 20>',
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

/** Servers that replay the log of the one that accepts writes. */
export const replicas = {
  DATABASE_READ_URLS: {
    meaning:
      'Replicas of the database that answer reads, `postgres://…` addresses separated by commas. A replica answers only if it has everything that was committed before the request; otherwise the server of `DATABASE_URL` does.',
    default: '',
    example: 'postgres://causeway@replica:5432/causeway',
    secret: true,
    parse: ({ text, fault }): string[] => {
      const urls = text === '' ? [] : text.split(/,(?=postgres(?:ql)?:\/\/)/);
      if (urls.some((url) => !databaseAddress.test(url)))
        fault('DATABASE_READ_URLS must be addresses that start with postgres:// or postgresql://.');
      else if (urls.some((url) => splitHosts(url).urls.length > 1))
        fault('DATABASE_READ_URLS must name one server in each address.');
      return urls;
    },
  },
} satisfies Record<string, Setting>;

/** Without a role, as all entries were before there were roles, it is an administrator's. */
export interface OperatorToken {
  token: string;
  role?: OperatorRole;
}

function parseOperatorTokens({ text, fault }: Reading): ReadonlyMap<string, OperatorToken> {
  const tokens = new Map<string, OperatorToken>();
  for (const item of itemsOf(text)) {
    const parts = item.split(':');
    // No colon in a token: a viewer's short token must not be read as an administrator's longer one.
    const [name = '', role, token = ''] = parts.length === 2 ? [parts[0], undefined, parts[1]] : parts;
    const isEntry = parts.length <= 3 && isOperatorName(name) && operatorToken.test(token);
    if (!isEntry || tokens.has(name)) {
      fault(
        'OPERATOR_TOKENS must be name:role:token entries, names unlike, each token 32 to 200 characters.',
      );
    } else if (role === undefined) tokens.set(name, { token });
    else if (isOperatorRole(role)) tokens.set(name, { token, role });
    // What stands there may be the beginning of a token, so it is not shown.
    else
      fault(`OPERATOR_TOKENS: the role of ${name} must be one of ${Object.keys(operatorRoles).join(', ')}.`);
  }
  return tokens;
}

const nameForm = /^[A-Za-z0-9_.@-]{1,60}$/;

/** `name`, or `owner/name` with the email of the person whose token it is. */
function isOperatorName(text: string): boolean {
  const [name = '', owner] = text.split('/').reverse();
  if (!nameForm.test(name)) return false;
  return text === name || (text === `${owner}/${name}` && isEmail(owner!));
}

/** As people are stored: in lower case. */
const isEmail = (text: string) =>
  text.includes('@') && text.length <= 254 && text === text.toLowerCase() && !text.includes(' ');

const operatorToken = /^\S{32,200}$/;

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
