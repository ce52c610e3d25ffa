import { V2Error } from './reply.ts';

interface Allowed {
  /** Plain http also to private names and addresses, as those of containers are. */
  allowHttpCallbacks: boolean;
}

/**
 * Whether webhooks go to this address. Plain http is for a sandbox alone (spec section 6.2), and never leaves a
 * private network.
 */
export function isCallable(text: string, { allowHttpCallbacks }: Allowed): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return true;
  return protocol === 'http:' && (isLoopback(hostname) || (allowHttpCallbacks && isPrivate(hostname)));
}

/** Throws the `V2Error` that refuses another one. */
export function assertCallable(field: string, url: string | undefined, allowed: Allowed): void {
  if (url === undefined || isCallable(url, allowed)) return;
  const others = allowed.allowHttpCallbacks ? 'http to a private name' : 'http to this machine';
  throw new V2Error(400, 'VALIDATION_ERROR', `${field} must be https, or ${others}.`);
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.[0-9]+\.[0-9]+\.[0-9]+$/.test(hostname);

/**
 * The name of a container or of a machine in the house, or an address of RFC 1918 or RFC 4193. Not those where clouds
 * keep their secrets.
 */
function isPrivate(hostname: string): boolean {
  if (/^[a-z0-9_-]*[a-z][a-z0-9_-]*$/.test(hostname)) return true;
  if (/\.(local|localhost|lan|test|home\.arpa)$/.test(hostname)) return true;
  if (/^host\.(docker|containers)\.internal$/.test(hostname)) return true;
  if (/^\[f[cd][0-9a-f]{2}:/.test(hostname)) return true;
  return /^(10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.)[0-9.]+$/.test(hostname);
}
