import type { Server } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { type ConsoleConfig, readCertificate } from '../../runtime/settings/console-config.ts';

/**
 * Follows the files of the console's certificate. Each call reads them again; once two readings agree, new connections
 * get the new certificate, and the call returns true. Throws if it cannot be used: the earlier one then stays in use.
 */
export function certificateRenewal(server: Server, settings: ConsoleConfig): () => boolean {
  let current = readCertificate(settings);
  let last = current;
  return () => {
    const read = readCertificate(settings);
    const isSettled = isDeepStrictEqual(read, last);
    last = read;
    if (read === null || !isSettled || isDeepStrictEqual(read, current)) return false;
    server.setSecureContext(read);
    current = read;
    return true;
  };
}
