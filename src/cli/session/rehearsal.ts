import { sandboxAccountName } from '../../runtime/settings/account-config.ts';
import type { Terminal } from '../base/terminal.ts';

/**
 * Says that the embedded sandbox answers and no real money is paid. A person in the wrong folder notices it only by
 * this line.
 */
export function printRehearsal(terminal: Terminal, isRehearsal: boolean): void {
  if (!isRehearsal) return;
  terminal.error(
    `${terminal.paint('yellow', 'Rehearsal')} at the embedded sandbox: no money moves (account "${sandboxAccountName}").\n`,
  );
}
