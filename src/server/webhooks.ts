import type { FastifyInstance } from 'fastify';
import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import type { Random } from '../core/basics/random.ts';
import type { Log } from '../core/text/log.ts';
import type { Clock } from '../core/time/clock.ts';
import type { WebhookKeys } from '../gateway/webhooks/webhook-signatures.ts';
import { addToInbox, type WebhookScheme } from '../ledger/accounts/webhook-inbox.ts';
import type { Database } from '../ledger/drivers/database.ts';
import type { Reception } from './metrics/metrics.ts';
import { makeRejectionLog } from './rejection-log.ts';
import { inboxEntry, type RawWebhook, verifyWebhook } from './verify-webhook.ts';

export interface WebhookDeps {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  /** The accounts whose webhooks are accepted, by name. */
  webhookKeys: ReadonlyMap<string, WebhookKeys>;
  /** Called when a new webhook is durable. */
  onWebhook: (account: string) => void;
  /** Called for each webhook with what became of it. A stranger's webhook has the account "(unknown)". */
  onReceived?: (account: string, reception: Reception) => void;
}

/** The largest accepted webhook; those of the specification have about 1 KiB. */
export const webhookBytesMax = 64 * 1024;

/**
 * When the sender should try again if the ledger is not writable, in seconds. The service has its own schedule, too.
 */
const retryAfterSeconds = 30;

const paths: readonly (readonly [string, WebhookScheme])[] = [
  ['/webhooks/:account/topups', 'callback'],
  ['/webhooks/:account/events', 'registered'],
];

/**
 * `POST /webhooks/:account/topups` accepts per-top-up callbacks (spec section 6.1), `POST /webhooks/:account/events`
 * registered webhooks (section 6.2). The answer is 200 only if the inbox already has the webhook durably, or has it
 * now; the account runner acts on it. An unknown account and a wrong signature get the same 401.
 */
export function addWebhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  const receive = makeWebhookReceiver(deps);
  app.register(async (scope) => {
    // The signature covers the raw bytes, so nothing may parse them before.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: webhookBytesMax }, (_request, body, done) =>
      done(null, body),
    );
    for (const [path, scheme] of paths) {
      scope.post<{ Params: { account: string } }>(path, { bodyLimit: webhookBytesMax }, async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { account } = request.params;
        const received = await receive({ account, scheme, headers: request.headers, body });
        if (received === 'rejected') return reply.code(401).send({ error: 'not_authorized' });
        if (received === 'not_kept') {
          return reply.code(503).header('retry-after', retryAfterSeconds).send({ error: 'try_again' });
        }
        return reply.send({ received });
      });
    }
  });
}

/**
 * `now`: stored; `before`: was stored before; `rejected`: not genuine; `not_kept`: genuine, but not stored, so that the
 * service sends it again.
 */
export type Received = 'now' | 'before' | 'rejected' | 'not_kept';

/** Verifies webhooks and stores them in the inbox, whichever way they arrive. */
export function makeWebhookReceiver(deps: WebhookDeps) {
  const { db, clock, random, log, webhookKeys, onWebhook, onReceived = () => undefined } = deps;
  // If no key can match, the check still runs with a random key, so that the answer takes as long.
  const decoy = [random.hex(32)];
  const orDecoy = (keys: readonly string[] | undefined) => (keys && keys.length > 0 ? keys : decoy);
  const reject = makeRejectionLog(clock, log);

  return async (webhook: RawWebhook): Promise<Received> => {
    const { account, scheme } = webhook;
    const known = webhookKeys.get(account);
    const keys = { callback: orDecoy(known?.callback), registered: orDecoy(known?.registered) };
    const check = verifyWebhook(webhook, keys, clock.now());
    if (!check.ok) {
      const of = known ? account : '(unknown)';
      reject({ account: of, scheme, problem: check.problem });
      onReceived(of, { refused: check.problem });
      return 'rejected';
    }
    const entry = inboxEntry(webhook, keys, clock.now());
    try {
      if (!(await db.transact((tx) => addToInbox(tx, entry), { concurrent: true }))) {
        onReceived(account, { result: 'repeated' });
        return 'before';
      }
    } catch (error) {
      // A webhook that is not durable is not acknowledged, so that the service sends it again.
      const code = error instanceof AirbatchError ? error.code : 'UNEXPECTED';
      log.warn('a webhook could not be stored', { account, scheme, code, error: errorMessage(error) });
      onReceived(account, { result: 'not_stored' });
      return 'not_kept';
    }
    const isUnreadable = entry.outcome === 'unreadable';
    onReceived(account, { result: isUnreadable ? 'unreadable' : 'stored' });
    if (isUnreadable) log.warn('a webhook could not be read', { account, scheme, digest: entry.body_digest });
    onWebhook(account);
    return 'now';
  };
}
