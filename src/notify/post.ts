import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Agent } from 'undici';
import { clearTextFault, isLoopback } from '../core/text/safe-url.ts';

const deadlineMs = 15_000;

/** Addresses that only this machine or its own network reaches. */
const inner = new BlockList();
for (const [net, bits] of [
  ...[['0.0.0.0', 8] as const, ['10.0.0.0', 8] as const, ['100.64.0.0', 10] as const, ['127.0.0.0', 8] as const],
  ...[['169.254.0.0', 16] as const, ['172.16.0.0', 12] as const, ['192.0.0.0', 24] as const],
  ...[['192.168.0.0', 16] as const, ['198.18.0.0', 15] as const, ['224.0.0.0', 3] as const],
])
  inner.addSubnet(net, bits);
for (const [net, bits] of [
  // With an IPv4 address in them, which a gateway may reach: compatible, 6to4, Teredo, and two translations.
  ['::', 96] as const,
  ['2002::', 16] as const,
  ['2001::', 32] as const,
  ['64:ff9b::', 96] as const,
  ['64:ff9b:1::', 48] as const,
  ['fc00::', 7] as const,
  ['fe80::', 10] as const,
  ['fec0::', 10] as const,
  ['ff00::', 8] as const,
])
  inner.addSubnet(net, bits, 'ipv6');

export function isPrivateAddress(address: string): boolean {
  return inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

let outside: Agent | null = null;

/** Connects to no address of an inner network, whatever a name resolves to at that moment. */
const connectingOutside = (Client: typeof Agent) =>
  new Client({
    connect: {
      lookup: (hostname, options, callback) => {
        lookUp(hostname, { ...options, all: true }, (error, found) => {
          const list = error ? [] : found;
          const private_ = list.find(({ address }) => isPrivateAddress(address));
          if (private_) callback(new Error(`${hostname} is a private address`), '', 4);
          else if (options.all) callback(error, list);
          else callback(error, list[0]?.address ?? '', list[0]?.family ?? 4);
        });
      },
    },
  });

export interface Post {
  url: string;
  headers?: Record<string, string>;
  body: string;
  /** Aborted when the program ends. */
  ending?: AbortSignal | undefined;
  /** Whether the address may be one of an inner network; a name of this machine always may. */
  mayBePrivate: boolean;
}

/**
 * Posts JSON once, follows no redirect, and does not read the answer. Resolves with the HTTP status; rejects if there
 * was no answer, or if the URL may not be posted to.
 */
export async function post({ url, headers = {}, body, ending, mayBePrivate }: Post): Promise<number> {
  const parsed = new URL(url);
  const fault = clearTextFault(parsed);
  if (fault !== null) throw new Error(`the URL ${fault}`);
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  const isGuarded = !mayBePrivate && !isLoopback(parsed.hostname);
  if (isGuarded && isIP(host) !== 0 && isPrivateAddress(host)) throw new Error(`${host} is a private address`);
  const deadline = AbortSignal.timeout(deadlineMs);
  const { Agent, request } = await import('undici');
  if (isGuarded) outside ??= connectingOutside(Agent);
  const dispatcher = isGuarded ? outside : null;
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: ending ? AbortSignal.any([deadline, ending]) : deadline,
    ...(dispatcher ? { dispatcher } : {}),
  });
  // An answer without end would keep the connection.
  answer.body.on('error', () => undefined);
  answer.body.destroy();
  return answer.statusCode;
}

/** The headers of Standard Webhooks, with a signature of each secret: there are two while one replaces the other. */
export function signedHeaders(
  secrets: readonly string[],
  { id, at }: { id: string; at: number },
  body: string,
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}
