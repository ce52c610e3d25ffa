import { AirbatchError } from '../../core/basics/errors.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import type { Session } from '../../runtime/session/session.ts';

/**
 * For a caller who may see only some accounts: the input must name one of them, or a batch of one. For anything of
 * another account the answer is the same as if it did not exist. Throws `BATCH_UNKNOWN`, `ACCOUNT_UNKNOWN`, or
 * `ROLE_MISSING` if the input names neither an account nor a batch, because it would then cover all accounts.
 */
export async function requireVisible({ db, grant, person }: Session, input: object): Promise<void> {
  if (grant === undefined || grant.accounts.length === 0) return;
  if ('batch_id' in input && typeof input.batch_id === 'string') {
    const batch = await findBatch(db, input.batch_id);
    if (batch && grant.accounts.includes(batch.account)) return;
    throw new AirbatchError('BATCH_UNKNOWN', `there is no batch ${input.batch_id} in this ledger`);
  }
  if ('account' in input && typeof input.account === 'string') {
    if (grant.accounts.includes(input.account)) return;
    throw new AirbatchError('ACCOUNT_UNKNOWN', `there is no account "${input.account}"`);
  }
  throw new AirbatchError('ROLE_MISSING', `${person} may not see all accounts`, {
    hint: `Name one of the accounts: ${grant.accounts.join(', ')}.`,
  });
}
