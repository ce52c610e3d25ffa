import { isLoopback } from '../../../core/text/safe-url.ts';

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

export function isLedgerUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/**
 * What is wrong with the URL of a ledger, as a predicate; null if nothing is. The URL is not repeated, because it may
 * contain a password.
 */
export function ledgerUrlFault(text: string): string | null {
  if (!isLedgerUrl(text)) return 'must begin with postgres://';
  if (!URL.canParse(text)) return 'is not a URL (a special character in the password is written as %40)';
  if (!isDecodable(text)) return 'has a wrong percent escape (a percent sign itself is written as %25)';
  const { hostname, pathname, searchParams } = new URL(text);
  // A "/" in a password makes what follows it a part of the path.
  if (!/^\/[^/@:]+$/.test(pathname)) return 'must end with the name of a database: postgres://host/airbatch';
  const parameterFault = ambiguity(searchParams);
  if (parameterFault !== null) return parameterFault;
  const mode = searchParams.get('sslmode');
  if (mode !== null && !(sslModes as readonly string[]).includes(mode))
    return `must have one of these as its sslmode: ${sslModes.join(', ')}`;
  // The library takes the host from PGHOST then, which may be another machine.
  const isSocket = searchParams.has('host');
  if (mode === null && hostname === '' && !isSocket)
    return 'must name the host, such as localhost: postgres://localhost/airbatch';
  // libpq would try TLS, and go on without it. Here it is decided.
  if (mode === null && hostname !== '' && !isLoopback(hostname))
    return 'must say how the connection is encrypted: add ?sslmode=verify-full, or sslmode=disable on a private network';
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return 'must name the certificate of the authority: add sslrootcert=FILE, or use sslmode=verify-full';
  return null;
}

/**
 * What could make the library connect to another host than the one that is checked, or without the TLS that is; null if
 * nothing does. The library takes the last of repeated parameters. A host that is a path is a Unix socket.
 */
function ambiguity(parameters: URLSearchParams): string | null {
  const names = [...parameters.keys()];
  if (new Set(names).size < names.length) return 'must have no parameter twice';
  if (parameters.has('hostaddr') || parameters.get('host')?.startsWith('/') === false)
    return 'must name the host before the database, not in a parameter: postgres://host/airbatch';
  if (parameters.has('ssl')) return 'must not have the parameter "ssl": use sslmode';
  return null;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The URL as the library must get it, so that it understands `sslmode` as libpq does. */
export function connectionUrl(url: string): string {
  const compatible = new URL(url);
  compatible.searchParams.set('uselibpqcompat', 'true');
  return compatible.href;
}

/** The URL for people, logs and errors: without user, password and parameters. */
export function shownLedgerUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** The password in the URL, as it is written and as it is meant. */
export function ledgerUrlSecrets(url: string): string[] {
  const { password, searchParams } = new URL(url);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''].filter((text) => text !== '');
}
