import type { FastifyInstance } from 'fastify';
import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import type { Random } from '../core/basics/random.ts';
import type { Clock } from '../core/time/clock.ts';
import type { EngineLog } from '../engine/runner/context.ts';
import type { WebhookKeys } from '../gateway/webhooks/webhook-signatures.ts';
import { addToInbox, type WebhookScheme } from '../ledger/accounts/webhook-inbox.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { makeRejectionLog } from './rejection-log.ts';
import { inboxEntry, type RawWebhook, verifyWebhook } from './signed-webhook.ts';

export interface WebhookDeps {
  db: Database;
  clock: Clock;
  random: Random;
  log: EngineLog;
  /** Whose webhooks are taken, by the name of the account. */
  webhookKeys: ReadonlyMap<string, WebhookKeys>;
  /** Called when a webhook that was not known before is durable. */
  onWebhook: (account: string) => void;
}

/** The most that a webhook may weigh; those of the specification have about 1 KiB. */
export const webhookBytesMax = 64 * 1024;

/**
 * When to try again after the ledger could not be written, in seconds. The service has a schedule of its own besides.
 */
const retryAfterSeconds = 30;

const paths: readonly (readonly [string, WebhookScheme])[] = [
  ['/webhooks/:account/topups', 'callback'],
  ['/webhooks/:account/events', 'registered'],
];

/**
 * `POST /webhooks/:account/topups` takes per-top-up callbacks (spec section 6.1), `POST /webhooks/:account/events`
 * registered webhooks (section 6.2). The answer is 200 only once the webhook is durable in the inbox, or was before;
 * what follows from it is the account runner's business. An unknown account and a wrong signature get the same 401.
 */
export function addWebhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  const receive = makeWebhookReceiver(deps);
  app.register(async (scope) => {
    // The signatures are over the bytes as they came, so nothing parses them before.
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

/** Kept now, or before; not believed; or believed and not kept, so that the service sends it again. */
export type Received = 'now' | 'before' | 'rejected' | 'not_kept';

/** Verifies a webhook and keeps it, whatever door it came by. */
export function makeWebhookReceiver({ db, clock, random, log, webhookKeys, onWebhook }: WebhookDeps) {
  // Where nothing can be right, the check is made all the same, with a key that nobody has: the answer takes as long.
  const decoy = [random.hex(32)];
  const orDecoy = (keys: readonly string[] | undefined) => (keys && keys.length > 0 ? keys : decoy);
  const reject = makeRejectionLog(clock, log);

  return async (webhook: RawWebhook): Promise<Received> => {
    const { account, scheme } = webhook;
    const known = webhookKeys.get(account);
    const keys = { callback: orDecoy(known?.callback), registered: orDecoy(known?.registered) };
    const check = verifyWebhook(webhook, keys, clock.now());
    if (!check.ok) {
      reject({ account: known ? account : '(unknown)', scheme, problem: check.problem });
      return 'rejected';
    }
    const entry = inboxEntry(webhook, keys, clock.now());
    try {
      if (!(await addToInbox(db, entry))) return 'before';
    } catch (error) {
      // Nothing is acknowledged that is not durable: the service sends it again.
      const code = error instanceof AirbatchError ? error.code : 'UNEXPECTED';
      log.warn('a webhook could not be kept', { account, scheme, code, error: errorMessage(error) });
      return 'not_kept';
    }
    if (entry.outcome === 'unreadable')
      log.warn('a webhook could not be read', { account, scheme, digest: entry.body_digest });
    onWebhook(account);
    return 'now';
  };
}
