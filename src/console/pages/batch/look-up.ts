import { change, type ResultOf } from '../../api/client.ts';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';

type Looked = ResultOf<'/api/v1/batches/{batch_id}/look-up'>['rows'][number];

/** Rows of a batch; none named means all that are in doubt. */
export interface RowsOfBatch {
  batch_id: string;
  rows: readonly number[];
}

/** The most rows that one request looks up. */
const lookedUpMax = 100;

function chunks(rows: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(rows.length / lookedUpMax) }, (_, at) =>
    rows.slice(at * lookedUpMax, (at + 1) * lookedUpMax),
  );
}

async function lookUpBatch({ batch_id, rows }: RowsOfBatch): Promise<Looked[]> {
  const path = { batch_id };
  const ask = (body: { rows?: number[]; after?: number }) =>
    change('/api/v1/batches/{batch_id}/look-up', { path, body });
  const looked: Looked[] = [];
  for (const some of chunks(rows)) looked.push(...(await ask({ rows: some })).rows);
  if (rows.length > 0) return looked;
  for (let after: number | null = 0; after !== null; ) {
    const page: { rows: Looked[]; next: number | null } = await ask({ after });
    looked.push(...page.rows);
    after = page.next;
  }
  return looked;
}

/** Reports the service's answer: how many payments it has, how many it does not have. */
function saidOf(looked: readonly Looked[]): string {
  const outcomes = ['adopted', 'found', 'halted', 'not_found', 'unanswered', 'changed'] as const;
  const said = outcomes.flatMap((outcome) => {
    const count = looked.filter((one) => one.outcome === outcome).length;
    return count === 0 ? [] : [t(`doubts.looked.${outcome}`, { count })];
  });
  return said.length === 0 ? t('doubts.looked.none') : said.join(' ');
}

/** Asks the service about rows now. */
export function useLookUp() {
  return useChange(
    async (batches: readonly RowsOfBatch[]) => {
      const looked: Looked[] = [];
      for (const one of batches) looked.push(...(await lookUpBatch(one)));
      return looked;
    },
    { reads: [['doubts'], ['batch']], done: saidOf },
  );
}
