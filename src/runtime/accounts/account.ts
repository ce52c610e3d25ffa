import { dirname, join } from 'node:path';
import { serviceName } from '../../core/identity/service-name.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import { defaultEngineSettings, type EngineSettings } from '../../engine/runner/settings.ts';
import type { Gateway } from '../../gateway/contract/gateway.ts';
import { makeGateway } from '../../gateway/make-gateway.ts';
import type { OnAnswered } from '../../gateway/transport/service-call.ts';
import { watchSilence } from '../../gateway/transport/silence.ts';
import { checkedBaseUrl } from '../../gateway/transport/transport.ts';
import { makeUndiciTransport } from '../../gateway/transport/undici-transport.ts';
import type { WebhookKeys } from '../../gateway/webhooks/webhook-signatures.ts';
import { embeddedSandboxService } from '../../ledger/batches/batches.ts';
import { asLedgerError } from '../../ledger/drivers/sqlite/sqlite-errors.ts';
import { makeBottleneckLimiter } from '../../limiter/bottleneck-limiter.ts';
import { makeClassPlan } from '../../limiter/classes.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { accountLog } from '../logging/log.ts';
import { noLedgerPath } from '../session/session.ts';
import { type AccountConfig, accountDefaults, sandboxAccountName } from '../settings/account-config.ts';
import { type AccountCatalog, accountCatalog } from './account-catalog.ts';

/** An open account: its gateway, its limiter, and the engine's settings for it. */
export interface OpenAccount {
  name: string;
  /**
   * The service that gets the money: for every screen and report, and to check whether a batch can be worked on here.
   */
  service: string;
  isSandbox: boolean;
  /** The same as in `AccountConfig`. */
  credentialsFrom: string;
  gateway: Gateway;
  limiter: Limiter;
  /** What the service offers. Files are checked against it. */
  catalog: AccountCatalog;
  settings: EngineSettings;
  callbackUrl: string | null;
  /** Since when the service answers nothing (monotonic ms); null if it has answered, or was not asked since. */
  silentSince(): number | null;
  /** Breaks off the requests in flight, which this machine can get no answer to. Nothing can be sent any more. */
  breakOff(): void;
  close(): Promise<void>;
}

/**
 * One admission of the limiter sends so many rows, because rows that are sent together share transactions and rounds of
 * the loops: a fifteenth of the limit, so that an urgent row waits for four seconds of a minute at most.
 */
const rowsTogether = 4;
const admissionsPerWindow = 15;
/** With so many accounts, so many times as many rows go together: then the cost of a row decides how fast all are. */
const manyAccounts = 100;
const timesManyAccounts = 3;
/**
 * From this many creations a minute on, it sends more, because Bottleneck starts only some hundreds of jobs a second.
 */
const highLimit = 6_000;
/**
 * Rows of one admission for each `highLimit` of the rate, and the most of them, so that jobs start about a dozen times
 * a second.
 */
const rowsPerHighLimit = 8;
const rowsPerAdmissionMax = 128;

/** How many rows one admission of the limiter sends at this rate of creations, in a program with so many accounts. */
function rowsPerAdmission(
  { limit, windowMs }: { limit: number; windowMs: number },
  { accounts }: { accounts: number },
): number {
  const perMinute = (limit * 60_000) / windowMs;
  const times = accounts < manyAccounts ? 1 : timesManyAccounts;
  if (perMinute < highLimit)
    return Math.min(Math.max(1, Math.floor((limit * times) / admissionsPerWindow)), rowsTogether * times);
  return Math.min(Math.floor((perMinute / highLimit) * rowsPerHighLimit), rowsPerAdmissionMax);
}

/** The key of the embedded sandbox. No money depends on it. */
const sandboxKey = 'sandbox-key';
export const sandboxWebhookKeys: WebhookKeys = { callback: [sandboxKey], registered: [] };

export interface OpenAccountDeps {
  clock: Clock;
  log: Log;
  ledgerPath: string;
  /** Where the embedded sandbox sends its webhooks, if it sends any. */
  sandboxCallbackUrl?: string;
  /** Called for each request that has ended. */
  onAnswered?: OnAnswered;
  /** How many accounts are configured. A program that sends for one account alone need not say. */
  accounts?: number;
}

/**
 * Opens an account. Null opens the embedded sandbox, which keeps its data next to the ledger so that a resume finds it.
 */
export async function openAccount(account: AccountConfig | null, deps: OpenAccountDeps): Promise<OpenAccount> {
  if (account === null) return openSandboxAccount(deps);
  return assemble(account, deps, {
    service: serviceName(account.baseUrl, account.version),
    isSandbox: false,
    closeMore: async () => undefined,
  });
}

async function openSandboxAccount(deps: OpenAccountDeps): Promise<OpenAccount> {
  const { makeSandbox } = await import('../../sandbox/index.ts');
  const data = deps.ledgerPath === noLedgerPath ? undefined : join(dirname(deps.ledgerPath), 'sandbox.db');
  const sandbox = await makeSandbox({ data }).catch((error: unknown) => {
    throw asLedgerError(data ?? '', error, 'the data of the sandbox');
  });
  const baseUrl = await sandbox.listen({ port: 0 });
  const account: AccountConfig = {
    ...accountDefaults,
    name: sandboxAccountName,
    version: 'v2',
    baseUrl,
    credentials: { apiKey: sandboxKey },
    credentialsFrom: 'the embedded sandbox',
    webhookKeys: sandboxWebhookKeys,
    ...(deps.sandboxCallbackUrl === undefined ? {} : { callbackUrl: deps.sandboxCallbackUrl }),
  };
  return assemble(account, deps, {
    service: embeddedSandboxService,
    isSandbox: true,
    closeMore: () => sandbox.close(),
  });
}

function assemble(
  account: AccountConfig,
  { clock, log, onAnswered, accounts = 1 }: Pick<OpenAccountDeps, 'accounts' | 'clock' | 'log' | 'onAnswered'>,
  place: { service: string; isSandbox: boolean; closeMore: () => Promise<void> },
): OpenAccount {
  const limiter = makeBottleneckLimiter(
    { version: account.version, limits: account.limits },
    {
      clock,
      onLimitDiffers: (requestClass, configured, seen) =>
        accountLog(log, account.name).warn(
          'the service allows another rate than the configured one; airbatch follows the service',
          {
            request_class: requestClass,
            configured,
            seen,
          },
        ),
    },
  );
  const transport = makeUndiciTransport({ clock }, { baseUrl: checkedBaseUrl(account.baseUrl) });
  const silence = watchSilence(transport, clock);
  const gateway = makeGateway(account, {
    clock,
    transport: silence.transport,
    onRate: (requestClass, headers) => limiter.observe(requestClass, headers),
    onAnswered,
  });
  return {
    name: account.name,
    service: place.service,
    isSandbox: place.isSandbox,
    credentialsFrom: account.credentialsFrom,
    gateway,
    limiter,
    catalog: accountCatalog({ name: account.name, limiter, gateway }, { clock, log }),
    settings: {
      ...defaultEngineSettings,
      rowsPerAdmission: rowsPerAdmission(makeClassPlan(account.version, account.limits).limits.creation, { accounts }),
      leaseTtlMs: account.leaseTtlMs,
      resumeWhenFunded: account.resumeWhenFunded,
    },
    callbackUrl: account.callbackUrl ?? null,
    silentSince: silence.since,
    breakOff: () => transport.breakOff(),
    async close() {
      await limiter.stop();
      await gateway.close();
      await place.closeMore();
    },
  };
}
