import { AirbatchError } from '../core/basics/errors.ts';
import type { ConsoleConfig } from '../runtime/settings/console-config.ts';

const ownMachine: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/**
 * Throws `CONFIG_INVALID` for an address that other machines reach, if nothing there speaks https: passwords, keys and
 * cookies would cross the network readable.
 */
export function requirePrivate(
  host: string,
  { tls, trustedProxies }: Pick<ConsoleConfig, 'tls' | 'trustedProxies'>,
  option: string,
): void {
  if (ownMachine.includes(host) || tls !== null || trustedProxies.length > 0) return;
  throw new AirbatchError('CONFIG_INVALID', `${option} ${host}: other machines reach this address, without TLS`, {
    hint: 'Configure "console.tls" (a certificate) or "console.trustedProxies" (a proxy that speaks https), or listen at 127.0.0.1.',
  });
}

/**
 * The address at which people open the console: as configured, else where the program listens. Passkeys need a name
 * rather than 127.0.0.1.
 */
export function publicUrlOf({ url }: Pick<ConsoleConfig, 'url'>, listening: string): URL {
  const found = new URL(url ?? listening);
  if (url === null && ['127.0.0.1', '[::1]'].includes(found.hostname)) found.hostname = 'localhost';
  return found;
}
