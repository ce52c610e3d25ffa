import type { Database, Queryable } from '../../src/ledger/drivers/database.ts';

/** Tells how each query would go through the tables, instead of running it. */
export function planned(db: Database): { view: Queryable; plans: string[] } {
  const plans: string[] = [];
  const explain = async (sql: string, params: readonly (string | number | null)[] = []) => {
    for (const { detail } of await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params))
      plans.push(detail);
    return [];
  };
  return { view: { query: explain, values: explain, execute: db.execute }, plans };
}
