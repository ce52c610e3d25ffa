import { createContext, useContext } from 'react';
import { type Answer, get, setCsrfToken } from './client.ts';

/** The person who is signed in, as `GET /api/v1/session` returns it. */
export type Session = Answer<'/api/v1/session'>;
export type Role = Session['roles'][number];

/** Keeps the session's token for the changes that follow. */
export function keepSession(session: Session): Session {
  setCsrfToken(session.csrf_token, session.person);
  return session;
}

/** Reads the session. */
export async function readSession(): Promise<Session> {
  return keepSession(await get('/api/v1/session'));
}

export const SessionContext = createContext<Session | null>(null);

/** The session of the person who looks at the page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('a page is shown without a session');
  return session;
}

/** Whether the person may see who may do what, and which programs get events: administrators and auditors. */
export function mayOversee({ roles, accounts }: Pick<Session, 'roles' | 'accounts'>): boolean {
  return accounts.length === 0 && (roles.includes('admin') || roles.includes('audit'));
}

/** Whether the person may read files with complete numbers; the server keeps who has. */
export function useMayReadWhole(): boolean {
  return useSession().roles.some((role) => role !== 'audit');
}

/** Whether the person has a role. The server decides; this only hides buttons that it would refuse. */
export function useRole(role: Role): boolean {
  return useSession().roles.includes(role);
}
