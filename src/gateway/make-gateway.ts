import { AirbatchError } from '../core/basics/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Gateway, RateHeaders, RequestClass, ServicePolicy } from './contract/gateway.ts';
import { requestDeadlineMsDefault, v1Policy, v2Policy } from './contract/policies.ts';
import type { OnAnswered } from './transport/service-call.ts';
import { checkedBaseUrl, type Transport } from './transport/transport.ts';
import { makeV1Gateway } from './v1/v1-client.ts';
import { makeV2Gateway } from './v2/v2-client.ts';
import type { WalletMode } from './v2/v2-wire.ts';

/** The part of an account's configuration that its gateway needs. */
export interface GatewayAccount {
  version: 'v2' | 'v1';
  baseUrl: string;
  credentials: { apiKey: string } | { email: string; token: string };
  /** Which wallet pays (V2). Default: `auto`. */
  walletMode?: WalletMode | undefined;
  /** One deadline for a whole request, in milliseconds. Default: 60 s. */
  requestDeadlineMs?: number | undefined;
  /** Delays of the in-doubt algorithm that differ from the version's own; shorter ones are for rehearsals only. */
  doubt?: { [Field in keyof ServicePolicy]?: ServicePolicy[Field] | undefined } | undefined;
}

/** The dependencies of a gateway. */
export interface MakeGatewayDeps {
  clock: Clock;
  transport: Transport;
  onRate?: (requestClass: RequestClass, headers: RateHeaders) => void;
  onAnswered?: OnAnswered | undefined;
}

/**
 * Makes the gateway for the account's version of the service. Throws `CONFIG_INVALID` if the base URL or a credential
 * cannot be used.
 */
export function makeGateway(
  account: GatewayAccount,
  { clock, transport, onRate, onAnswered }: MakeGatewayDeps,
): Gateway {
  checkedBaseUrl(account.baseUrl);
  const {
    version,
    credentials,
    walletMode = 'auto',
    requestDeadlineMs: deadlineMs = requestDeadlineMsDefault,
  } = account;
  const deps = { clock, transport, onRate, onAnswered };
  if (version === 'v2' && 'apiKey' in credentials) {
    return makeV2Gateway(deps, {
      credentials,
      walletMode,
      deadlineMs,
      policy: overridden(v2Policy(deadlineMs), account.doubt),
    });
  }
  if (version === 'v1' && 'email' in credentials) {
    return makeV1Gateway(deps, { credentials, deadlineMs, policy: overridden(v1Policy(), account.doubt) });
  }
  throw new AirbatchError('CONFIG_INVALID', `the credentials are not those of an account of version ${version}`);
}

function overridden(policy: ServicePolicy, overrides: GatewayAccount['doubt']): ServicePolicy {
  const given = Object.entries(overrides ?? {}).filter(([, value]) => value !== undefined);
  return { ...policy, ...(Object.fromEntries(given) as Partial<ServicePolicy>) };
}
