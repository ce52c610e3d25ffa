import { sha256 } from '../../src/core/identity/ids.ts';
import { insertSession } from '../../src/ledger/access/user-sessions.ts';
import type { Queryable } from '../../src/ledger/drivers/database.ts';

/** Signs a person in, who then has the session named like the person. `at`: epoch ms. */
export function addSessionOf(tx: Queryable, name: string, token: string, at: number): Promise<void> {
  return insertSession(tx, {
    ...{ token_sha256: sha256(token), session_id: name, name, address: '127.0.0.1', device: null },
    ...{ created_at: at, signed_in_at: at, last_seen_at: at },
  });
}
