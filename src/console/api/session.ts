import { createContext, useContext } from 'react';
import { requestJson, setCsrfToken } from './client.ts';

export type Role = 'prepare' | 'approve' | 'operate' | 'resolve' | 'audit' | 'admin';

/** Who is signed in, as `GET /api/v1/session` says. */
export interface Session {
  person: string;
  roles: Role[];
  /** Null for somebody who sees all accounts. */
  accounts: string[] | null;
  csrf_token: string;
  second_factor: string;
  /** The language of the person; null if they have chosen none. */
  locale: string | null;
}

/** Reads the session, and keeps its token for the changes that follow. */
export async function readSession(): Promise<Session> {
  const session = await requestJson<Session>('GET', '/session');
  setCsrfToken(session.csrf_token);
  return session;
}

export const SessionContext = createContext<Session | null>(null);

/** The session of the person who looks at the page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('a page is shown without a session');
  return session;
}

/** Whether the person has a role. The server decides: this only spares people a button that is refused. */
export function useRole(role: Role): boolean {
  return useSession().roles.includes(role);
}
