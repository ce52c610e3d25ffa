import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { SupervisedAccount } from '../runtime/accounts/account-supervisor.ts';
import type { Session } from '../runtime/session/session.ts';
import { makeApiServer } from '../server/api/api-server.ts';
import { certificateRenewal } from '../server/api/certificate.ts';
import { type MetricsDeps, makeMetricsServer } from '../server/metrics/metrics-server.ts';
import { makePasswordHasher } from '../server/sign-in/password.ts';
import { withKept } from './accounts.ts';
import { listening } from './listening.ts';
import { publicUrlOf, requirePrivate } from './public-address.ts';

/** Where a server listens. */
export interface Address {
  host: string;
  port: number;
}

/** The servers in addition to the webhook port, each only if an address is configured. */
export interface InnerAddresses {
  metricsAddress: Address | null;
  /** Of the HTTP API and the console. */
  apiAddress: Address | null;
}

/** The servers for the operator's own people and programs. */
export function makeInnerServers(
  session: Session,
  kept: ReadonlyMap<string, SupervisedAccount>,
  { metricsAddress, apiAddress }: InnerAddresses,
  nameOf: (field: string) => string,
  measured: Pick<MetricsDeps, 'metrics' | 'jobs' | 'upkeep'>,
) {
  if (apiAddress !== null) requirePrivate(apiAddress.host, session.config.console, nameOf('api_host'));
  // A server without an address is not built: the API has a hundred routes.
  const metrics = metricsAddress && metricsOf(session, kept, measured);
  let apiUrl = '';
  const publicUrl = () => publicUrlOf(session.config.console, apiUrl);
  const api =
    apiAddress &&
    makeApiServer({
      session,
      hasher: makePasswordHasher(session.random),
      publicUrl,
      withAccount: withKept(session, kept),
      onChange: (account) => kept.get(account)?.nudge(),
    });
  return {
    /** Uses the console's certificate that is in its files now. Returns whether it was replaced. */
    renewCertificate:
      api?.server instanceof TlsServer ? certificateRenewal(api.server, session.config.console) : () => false,
    /** Listens. Returns the address at which people open the console; null without one. */
    async listen(): Promise<URL | null> {
      if (metrics !== null && metricsAddress !== null) {
        const url = await listenAt(metrics, metricsAddress, `${nameOf('metrics_host')} and ${nameOf('metrics_port')}`);
        session.log.info('metrics are served', { url: `${url}/metrics` });
      }
      if (api === null || apiAddress === null) return null;
      apiUrl = await listenAt(api, apiAddress, `${nameOf('api_host')} and ${nameOf('api_port')}`);
      session.log.info('the API is served', { url: `${apiUrl}/api/v1` });
      return publicUrl();
    },
    close: () => Promise.all([metrics?.close(), api?.close()]),
  };
}

function metricsOf(
  session: Session,
  kept: ReadonlyMap<string, SupervisedAccount>,
  measured: Pick<MetricsDeps, 'metrics' | 'jobs' | 'upkeep'>,
): FastifyInstance {
  return makeMetricsServer({
    ...session,
    ...measured,
    // PostgreSQL has backups of its own.
    backups: session.ledgerUrl === null ? (session.config.backup?.folder ?? null) : null,
    accounts: () =>
      [...kept.values()].map((account) => ({
        name: account.name,
        working: account.isWorking(),
        usage: account.usage(),
        clockAheadMs: account.clockAheadMs(),
      })),
  });
}

/** Listens there. `options`: the options that name the place, for the error. */
export function listenAt(server: FastifyInstance, address: Address, options: string): Promise<string> {
  return listening(`${address.host}:${address.port}`, options, () => server.listen(address));
}
