import type { RowRecord } from '../rows/rows.ts';
import type { Unit } from '../unit-of-work.ts';

/** An earlier payment of a row that the service no longer calls failed. */
export interface MayBePaid {
  reference: string;
  serviceStatus: string;
  /**
   * When it was sent (epoch ms), if it paid what the row asks for. The row then carries this time, so that other runs
   * see the payment. Otherwise null.
   */
  firstSentAt: number | null;
}

function mayBePaid({ reference, serviceStatus }: MayBePaid) {
  return {
    code: 'MAY_BE_PAID',
    column: null,
    message: `This row has failed before, and the service now says ${serviceStatus} of that payment (${reference}).`,
    suggestion: 'Skip it where the recipient has it; release it to have it looked up again.',
  };
}

/**
 * Keeps a row that is not sent for a person, because an earlier payment of it may have arrived: a ready row is held, a
 * held row gets this reason as well. The person who releases it must know of it.
 */
export async function keepMayBePaid(unit: Unit, row: RowRecord, said: MayBePaid): Promise<void> {
  if (row.status === 'ready') await holdMayBePaid(unit, row, said);
  if (row.status === 'held') await addMayBePaid(unit, row, said);
}

async function addMayBePaid(unit: Unit, row: RowRecord, said: MayBePaid): Promise<void> {
  const known = JSON.parse(row.problems ?? '[]') as { code: string }[];
  const problem = mayBePaid(said);
  if (known.some(({ code }) => code === problem.code)) return;
  await unit.noteRow(row, { problems: JSON.stringify([problem, ...known]) }, null, {});
}

/** Holds a row for a person, because an earlier payment of it may have arrived. */
export function holdMayBePaid(unit: Unit, row: RowRecord, said: MayBePaid): Promise<RowRecord | null> {
  const problem = mayBePaid(said);
  const { serviceStatus, firstSentAt } = said;
  const borne =
    firstSentAt === null
      ? {}
      : {
          service_status: serviceStatus,
          first_sent_at: firstSentAt,
          contradicted: serviceStatus,
          contradicted_at: unit.at,
        };
  const fields = { problems: JSON.stringify([problem]), ...borne, next_action_at: null };
  const data = { why: problem.code, service_status: serviceStatus, first_sent_at: firstSentAt };
  return unit.changeRow(row, 'hold', fields, data);
}
