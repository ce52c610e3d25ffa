import { AirbatchError } from '../../core/basics/errors.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { findDraft } from '../../ledger/drafts/drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { chosenAccountName } from '../../runtime/settings/config.ts';

/**
 * For a caller who may see only some accounts: the input must name one of them, or a batch or a draft of one, and
 * nothing of another account, for which the answer is the same as if it did not exist. An operation that shows only
 * what the caller may see needs no name. Throws `DRAFT_UNKNOWN`, `BATCH_UNKNOWN`, `ACCOUNT_UNKNOWN`, or `ROLE_MISSING`
 * if the operation would cover all accounts.
 */
export async function requireVisible(
  session: Session,
  { showsOnlyVisible = false }: { showsOnlyVisible?: boolean },
  input: object,
): Promise<void> {
  const { db, person } = session;
  const visible = visibleAccounts(session);
  if (visible === null) return;
  let isNamed = false;
  if ('draft_id' in input && typeof input.draft_id === 'string') {
    const draft = await findDraft(db, input.draft_id);
    if (!draft || !visible.includes(draft.account))
      throw new AirbatchError('DRAFT_UNKNOWN', `there is no draft ${input.draft_id} in this ledger`);
    isNamed = true;
  }
  if ('batch_id' in input && typeof input.batch_id === 'string') {
    const batch = await findBatch(db, input.batch_id);
    if (!batch || !visible.includes(batch.account))
      throw new AirbatchError('BATCH_UNKNOWN', `there is no batch ${input.batch_id} in this ledger`);
    isNamed = true;
  }
  if ('account' in input && typeof input.account === 'string') {
    if (!visible.includes(input.account))
      throw new AirbatchError('ACCOUNT_UNKNOWN', `there is no account "${input.account}"`);
    isNamed = true;
  }
  if (isNamed || showsOnlyVisible) return;
  throw new AirbatchError('ROLE_MISSING', `${person} may not see all accounts`, {
    hint: `Name one of the accounts: ${visible.join(', ')}.`,
  });
}

/** The accounts that the caller may see; null: all. */
export function visibleAccounts({ grant }: Pick<Session, 'grant'>): readonly string[] | null {
  return grant && grant.accounts.length > 0 ? grant.accounts : null;
}

/** Whether the caller may see what uses this account, or, if none is named, the account that is chosen then. */
export function isVisible(session: Pick<Session, 'grant' | 'config'>, account: string | undefined): boolean {
  const visible = visibleAccounts(session);
  const nameOf = () => account ?? chosenAccountName(session.config, undefined);
  return visible === null || visible.includes(nameOf());
}
