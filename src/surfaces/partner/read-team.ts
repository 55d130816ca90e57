import type { CallApi } from '#surfaces/frame';

export interface Colleague {
  id: string;
  name: string;
  email: string;
  role: string;
  canSignIn: boolean;
  createdAt: string;
  removedAt: string | null;
}

/** The people of the partner; a team is small, so one page of the API is enough. */
export async function readTeam(call: CallApi): Promise<Colleague[]> {
  const { body } = await call({ method: 'POST', url: '/people/team/list', payload: { limit: 200 } });
  return (body.data as { items: Colleague[] }).items;
}
