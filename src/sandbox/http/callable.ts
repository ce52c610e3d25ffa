import { V2Error } from './reply.ts';

interface Allowed {
  /** Allows plain http to private names and addresses, such as those of containers. */
  allowHttpCallbacks: boolean;
}

/**
 * Whether webhooks may be sent to this address. Only a sandbox uses plain http (spec section 6.2), and only within a
 * private network.
 */
export function isCallable(text: string, { allowHttpCallbacks }: Allowed): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return true;
  return protocol === 'http:' && (isLoopback(hostname) || (allowHttpCallbacks && isPrivate(hostname)));
}

/** Throws the `V2Error` that refuses other addresses. */
export function assertCallable(field: string, url: string | undefined, allowed: Allowed): void {
  if (url === undefined || isCallable(url, allowed)) return;
  const others = allowed.allowHttpCallbacks ? 'http to a private name' : 'http to this machine';
  throw new V2Error(400, 'VALIDATION_ERROR', `${field} must be https, or ${others}.`);
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.[0-9]+\.[0-9]+\.[0-9]+$/.test(hostname);

/**
 * A name of a container or a local machine, or an address of RFC 1918 or RFC 4193; never the addresses where clouds
 * keep secrets.
 */
function isPrivate(hostname: string): boolean {
  if (/^[a-z0-9_-]*[a-z][a-z0-9_-]*$/.test(hostname)) return true;
  if (/\.(local|localhost|lan|test|home\.arpa)$/.test(hostname)) return true;
  if (/^host\.(docker|containers)\.internal$/.test(hostname)) return true;
  if (/^\[f[cd][0-9a-f]{2}:/.test(hostname)) return true;
  return /^(10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.)[0-9.]+$/.test(hostname);
}
