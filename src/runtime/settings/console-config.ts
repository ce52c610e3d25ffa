import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { safeUrl } from '../../core/text/safe-url.ts';
import type { Secret, SecretOf } from '../../notify/recipients.ts';

/** An address, or a network in CIDR form. */
const network = z.string().refine(isNetwork, { error: 'is neither an address nor a network (10.0.0.0/8)' });

/** The console, and the HTTP API at the same address. */
export const consoleShape = z.strictObject({
  /** The address at which people open it. Links, `Origin` and passkeys depend on it. */
  url: safeUrl.optional(),
  /** The addresses of proxies whose `X-Forwarded-For` is believed, and which speak https to browsers. */
  trustedProxies: z.array(network).default([]),
  /** A certificate of its own, as PEM files. */
  tls: z.strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) }).optional(),
  /** An identity provider (OpenID Connect) at which people sign in. */
  openid: z
    .strictObject({
      issuer: safeUrl,
      clientId: z.string().min(1),
      clientSecretEnv: z.string().min(1),
      /** By which claim a person is known: the verified e-mail address, or a claim with the person's name. */
      claim: z.string().min(1).default('email'),
      /** What people read on the button. */
      label: z.string().min(1).max(40).default('Single sign-on'),
    })
    .optional(),
});

export interface OpenId {
  issuer: string;
  clientId: string;
  clientSecret: Secret;
  claim: string;
  label: string;
}

export interface ConsoleConfig {
  url: string | null;
  trustedProxies: readonly string[];
  /** The absolute paths of the files. */
  tls: { certFile: string; keyFile: string } | null;
  openid: OpenId | null;
}

export function resolveConsole(
  { url, trustedProxies, tls, openid }: z.output<typeof consoleShape>,
  { base, secret }: { base: string; secret: SecretOf },
): ConsoleConfig {
  return {
    url: url ?? null,
    trustedProxies,
    tls: tls ? { certFile: resolve(base, tls.certFile), keyFile: resolve(base, tls.keyFile) } : null,
    openid: openid ? resolveOpenId(openid, secret) : null,
  };
}

function resolveOpenId(
  { clientSecretEnv, ...provider }: NonNullable<z.output<typeof consoleShape>['openid']>,
  secret: SecretOf,
): OpenId {
  return { ...provider, clientSecret: secret('console.openid.clientSecretEnv', clientSecretEnv) };
}

/** The certificate and its key. Throws `CONFIG_INVALID` if they cannot be read, or do not belong together. */
export function readCertificate({ tls }: ConsoleConfig): { cert: string; key: string } | null {
  if (tls === null) return null;
  try {
    const pair = { cert: readFileSync(tls.certFile, 'utf8'), key: readFileSync(tls.keyFile, 'utf8') };
    // An empty file would be taken for none, and no browser could connect.
    if (pair.cert === '' || pair.key === '') throw new Error(`${tls.certFile} or ${tls.keyFile} is empty`);
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new AirbatchError('CONFIG_INVALID', `console.tls: ${errorMessage(error)}`, { cause: error });
  }
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
    return /^[0-9]{1,3}$/.test(bits);
  } catch {
    return false;
  }
}
