import { resolve } from 'node:path';
import { jsonLine } from '../core/given-json.ts';
import { loadConfig } from '../runtime/config.ts';
import { sessionKey } from '../runtime/session.ts';
import type { CommandContext } from './command.ts';

/** `airbatch key`: the public key that an auditor needs, by another way than the reports. */
export async function execute({ terminal, cwd, env, configPath, ledgerPath, json }: CommandContext): Promise<number> {
  const config = await loadConfig({ cwd, env, configPath });
  const { publicKey, fingerprint } = await sessionKey({
    ledgerPath: ledgerPath ? resolve(cwd, ledgerPath) : config.ledger,
  });
  terminal.print(json ? jsonLine({ public_key: publicKey, fingerprint }) : publicKey);
  if (!json) terminal.error(`SHA-256 fingerprint: ${fingerprint}\n`);
  return 0;
}
