import { sandboxAccountName } from '../../runtime/settings/account-config.ts';
import type { Terminal } from '../base/terminal.ts';

/**
 * Says that it is the embedded sandbox that answers and pays: whoever is in another folder than they think is told by
 * that alone.
 */
export function printRehearsal(terminal: Terminal, isRehearsal: boolean): void {
  if (!isRehearsal) return;
  terminal.error(
    `${terminal.paint('yellow', 'Rehearsal')} at the embedded sandbox: no money moves (account "${sandboxAccountName}").\n`,
  );
}
