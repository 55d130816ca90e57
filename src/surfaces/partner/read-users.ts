import type { CallApi } from '#surfaces/frame';
import { renderText } from './tables.ts';

const usersMax = 200;

/** The users that a partner may act for, to choose from and to name. */
export interface KnownUsers {
  choices: readonly (readonly [id: string, email: string])[];
  /** There are more than a list to choose from has. */
  isCut: boolean;
  nameOf(userId: unknown): string;
}

export async function readUsers(call: CallApi): Promise<KnownUsers> {
  const { body } = await call({ method: 'GET', url: `/api/users?limit=${usersMax}` });
  const users = body.items as { userId: string; email: string }[];
  const emails = new Map(users.map(({ userId, email }) => [userId, renderText(email, 254)]));
  return {
    choices: [...emails],
    isCut: body.nextCursor !== null,
    nameOf: (userId) => emails.get(String(userId)) ?? String(userId),
  };
}
