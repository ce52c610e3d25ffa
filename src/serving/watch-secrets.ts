import { errorMessage } from '../core/basics/errors.ts';
import type { Session } from '../runtime/session/session.ts';
import type { AccountConfig } from '../runtime/settings/account-config.ts';

/** How often the secrets are read again. They are small files, or `.env`. */
const lookAgainMs = 2_000;

type WebhookKeys = AccountConfig['webhookKeys'];

/**
 * Follows secrets that are replaced while the program works. While one cannot be read, the earlier one stays in use.
 * `changed`: the account must be opened again. `renewCertificate` returns whether it has replaced the console's. All
 * other secrets are read when they are used.
 */
export function watchSecrets(
  { config, clock, log }: Pick<Session, 'config' | 'clock' | 'log'>,
  webhookKeys: Map<string, WebhookKeys>,
  changed: (account: string) => void,
  renewCertificate: () => boolean,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let lastTrouble = '';

  const report = (trouble: string) => {
    if (trouble !== lastTrouble && trouble !== '')
      log.warn('secrets cannot be read again; the earlier ones stay in use', { trouble });
    lastTrouble = trouble;
  };
  const reportReplaced = (places: readonly string[]) => {
    if (places.length === 0) return;
    log.info('secrets were replaced; the new ones are used from now on', { places: places.join(', ') });
  };
  const look = () => {
    const { places, faults, accounts } = config.rereadSecrets();
    reportReplaced(places);
    for (const [name, fresh] of accounts) {
      const current = config.accounts.get(name);
      const isWhole = ![...faults.keys()].some((field) => field.startsWith(`accounts.${name}.`));
      if (current === undefined || !isWhole || secretsOf(current) === secretsOf(fresh)) continue;
      config.accounts.set(name, fresh);
      webhookKeys.set(name, withEarlier(fresh.webhookKeys, current.webhookKeys));
      changed(name);
    }
    const troubles = [...faults.values()];
    try {
      if (renewCertificate()) reportReplaced(['the certificate of the console']);
    } catch (error) {
      troubles.push(errorMessage(error));
    }
    report(troubles.join('; '));
  };

  const keep = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(lookAgainMs, stopping.signal);
      try {
        look();
      } catch (error) {
        report(errorMessage(error));
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
