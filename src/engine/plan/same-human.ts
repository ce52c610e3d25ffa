import { apiKeyMakers } from '../../ledger/access/api-keys.ts';
import type { Actor } from '../../ledger/actor.ts';
import { authorsOfDraft } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';

/** Tells whether two names in the ledger are one human's, who counts once where several people must decide. */
export interface Humans {
  areOne(name: string, other: string): boolean;
}

/**
 * A name is one human's with another if they are equal, if the configuration says so (`people.otherNames`), or if it is
 * the name of an API key that the other has made. Revoked keys count: they may have submitted a batch before.
 */
export async function readHumans(db: Queryable, { otherNames }: Pick<Actor, 'otherNames'>): Promise<Humans> {
  const makers = Map.groupBy(await apiKeyMakers(db), ({ name }) => name);
  const humanOf = (name: string) => otherNames?.get(name) ?? name;
  const behind = (name: string) => [name, ...(makers.get(name) ?? []).map(({ created_by }) => created_by)].map(humanOf);
  return {
    areOne(name, other) {
      const others = behind(other);
      return behind(name).some((one) => others.includes(one));
    },
  };
}

/** Whether the person submitted the batch, under this or another name. */
export async function isSubmitter(
  db: Queryable,
  { created_by }: { created_by: string },
  actor: Pick<Actor, 'person' | 'otherNames'>,
): Promise<boolean> {
  return (await readHumans(db, actor)).areOne(created_by, actor.person);
}

/** Whose work a batch is: who has submitted it, and who has brought or changed its file. */
export async function authorsOf(
  db: Queryable,
  { batch_id, created_by }: { batch_id: string; created_by: string },
): Promise<string[]> {
  return [created_by, ...(await authorsOfDraft(db, batch_id))];
}
