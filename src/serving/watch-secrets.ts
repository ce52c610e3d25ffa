import { errorMessage } from '../core/basics/errors.ts';
import type { Session } from '../runtime/session/session.ts';
import type { AccountConfig } from '../runtime/settings/account-config.ts';

/** How often the secrets are read again. They are small files, or `.env`. */
const lookAgainMs = 2_000;

type WebhookKeys = AccountConfig['webhookKeys'];

/**
 * Follows secrets that are replaced while the program works. A change counts once two readings agree, so that a file
 * that is being written is not taken for a key. While a secret cannot be read, the earlier one stays in use.
 * `changed`: the account must be opened again.
 */
export function watchSecrets(
  { config, clock, log }: Pick<Session, 'config' | 'clock' | 'log'>,
  webhookKeys: Map<string, WebhookKeys>,
  changed: (account: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let before = new Map<string, string>();
  let lastTrouble = '';

  const look = () => {
    const found = config.rereadAccounts();
    const seen = new Map([...found].map(([name, account]) => [name, secretsOf(account)]));
    for (const [name, fresh] of found) {
      const current = config.accounts.get(name);
      if (current === undefined || secretsOf(current) === seen.get(name) || before.get(name) !== seen.get(name))
        continue;
      config.accounts.set(name, fresh);
      webhookKeys.set(name, withEarlier(fresh.webhookKeys, current.webhookKeys));
      log.info('the secrets of the account were replaced; it is opened again with the new ones', { account: name });
      changed(name);
    }
    before = seen;
  };

  const keep = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(lookAgainMs, stopping.signal);
      try {
        look();
        lastTrouble = '';
      } catch (error) {
        const trouble = errorMessage(error);
        if (trouble !== lastTrouble)
          log.warn('secrets cannot be read again; the earlier ones stay in use', { trouble });
        lastTrouble = trouble;
      }
    }
  };

  const ended = keep();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function secretsOf({ credentials, webhookKeys }: AccountConfig): string {
  return JSON.stringify([credentials, webhookKeys]);
}

/** Webhooks of payments that were sent with the earlier API key are still signed with it. */
function withEarlier(fresh: WebhookKeys, earlier: WebhookKeys): WebhookKeys {
  return { ...fresh, callback: [...new Set([...fresh.callback, ...earlier.callback])] };
}
