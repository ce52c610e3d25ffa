import { relative } from 'node:path';
import { restoreLedger } from '../../operations/backup/restore-ledger.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { call } from '../session/call.ts';
import { backupText, leftOutText } from './backup-text.ts';

/** `airbatch restore BACKUP`: restores a backup where the ledger was. */
export async function execute(context: CommandContext, [named = '']: string[]): Promise<number> {
  const done = await call(context, restoreLedger, { backup: pathOf(context, named) ?? '' });
  const lines = [
    `Restored ${done.ledger} from ${done.backup} (${backupText(done)})`,
    ...done.restored.slice(1).map((path) => `  ${relative(context.cwd, path)}`),
    ...leftOutText(done.left_out),
    'For 35 days, every row is looked up at the service before it is sent.',
    'Next       compare the restored configuration with yours, then: airbatch resume',
  ];
  answer(context, done, lines.join('\n'));
  return 0;
}
