import { jsonLine } from '../../core/text/json-output.ts';
import { showKey } from '../../operations/proof/show-key.ts';
import type { CommandContext } from '../base/command.ts';
import { call } from '../session/call.ts';

/**
 * `airbatch key`: prints the public key on stdout, so that a shell can write it to a file, and its fingerprint on
 * stderr.
 */
export async function execute(context: CommandContext): Promise<number> {
  const { terminal, json } = context;
  const key = await call(context, showKey, {});
  terminal.print(json ? jsonLine(key) : key.public_key);
  if (!json) terminal.error(`SHA-256 fingerprint: ${key.fingerprint}\n`);
  return 0;
}
