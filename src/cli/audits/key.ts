import { existsSync } from 'node:fs';
import { AirbatchError } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { ledgerPathOf, sessionKey, signingKeyPath } from '../../runtime/session/session.ts';
import type { CommandContext } from '../base/command.ts';
import { configOf } from '../service/config.ts';

const noKeyHint =
  'Go to the folder of the ledger, or name the ledger with --ledger. The first "airbatch run FILE" makes the key with its reports.';

/** `airbatch key`: the public key that an auditor needs, by another way than the reports. */
export async function execute(context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const ledgerPath = ledgerPathOf(context, await configOf(context));
  const path = signingKeyPath(ledgerPath);
  if (!existsSync(path)) throw new AirbatchError('LEDGER_MISSING', `there is no key at ${path}`, { hint: noKeyHint });
  const { publicKey, fingerprint } = await sessionKey({ ledgerPath });
  terminal.print(json ? jsonLine({ public_key: publicKey, fingerprint }) : publicKey);
  if (!json) terminal.error(`SHA-256 fingerprint: ${fingerprint}\n`);
  return 0;
}
