import { dirname, join } from 'node:path';
import type { Session } from '../runtime/session.ts';

/** Where what a program wrote for a slot is kept until its batch has ended; `name` is that of the batch's file. */
export function keptFile({ ledgerPath }: Pick<Session, 'ledgerPath'>, job: string, name: string): string {
  return join(dirname(ledgerPath), 'jobs', job, name);
}

/** Where it lies once it was rejected, until the slot has brought another that is paid. */
export function rejectedName(path: string): string {
  return `${path}.rejected`;
}
