import { jsonLine } from '../core/given-json.ts';
import { loadConfig } from '../runtime/config.ts';
import { ledgerPathOf, sessionKey } from '../runtime/session.ts';
import type { CommandContext } from './command.ts';

/** `airbatch key`: the public key that an auditor needs, by another way than the reports. */
export async function execute(context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const ledgerPath = ledgerPathOf(context, await loadConfig(context));
  const { publicKey, fingerprint } = await sessionKey({ ledgerPath });
  terminal.print(json ? jsonLine({ public_key: publicKey, fingerprint }) : publicKey);
  if (!json) terminal.error(`SHA-256 fingerprint: ${fingerprint}\n`);
  return 0;
}
