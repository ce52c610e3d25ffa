import { hasFinalProblems, makeCellsDigest, storedDigest } from '../../core/identity/stored-digest.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type LateCharge, lateChargesOf } from '../../ledger/reporting/late-charges.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { costsOfBatch } from '../../ledger/rows/costs.ts';
import { columnsOf } from '../../reports/summary/stored.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { ChainFacts } from '../../verify/chain/chain-facts.ts';
import { InputAmounts } from '../../verify/checks/input-amount.ts';
import { ExactSums, sumsOf } from '../../verify/input/decimal.ts';
import { Findings } from '../../verify/input/findings.ts';

/** What the ledger keeps of a batch although its rows and its chain say it as well. */
export interface DerivedChecks {
  /** Each row of the batch, in file order. `cells`: of the file; null if they cannot be read. */
  add(row: ReportedRow, cells: readonly string[] | null): void;
  counts: ReadonlyMap<string, number>;
  /** How what is kept differs from that. */
  differences(): Promise<string[]>;
}

export async function makeDerivedChecks(
  view: Queryable,
  batch: BatchRecord,
  chain: ChainFacts,
): Promise<DerivedChecks> {
  const counts = new Map<string, number>();
  const costs = new ExactSums();
  const cells = makeCellsDigest();
  const late = makeLateCheck(await lateChargesOf(view, batch.batch_id), chain);
  const amounts = makeAmountCheck(batch, chain);
  let isCostRecorded = true;
  return {
    counts,
    add(row, input) {
      const { row_no, line, status, cost, cost_currency } = row;
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (cost !== null && cost_currency !== null && isAmount(cost)) costs.add(cost_currency, cost);
      if (cost !== null && ['completed', 'failed'].includes(status) && chain.paidOf(row_no) === 0)
        isCostRecorded = false;
      // A person who skips a row says why, in place of what intake found.
      const isFinal = hasFinalProblems(status) && (status === 'invalid' || chain.stateOf(row_no) === null);
      cells.add({ row_no, line, cells: row.input, problems: isFinal ? row.problems : null });
      late.add(row_no);
      if (input !== null) amounts.add(row, input);
    },
    async differences() {
      return [
        ...countDifferences(await countRows(view, batch.batch_id), counts),
        // Chains of early versions do not say what rows cost, and their ledgers kept no sum.
        ...(isCostRecorded ? costDifferences(await costsOfBatch(view, batch.batch_id), costs, chain) : []),
        ...late.differences(),
        ...amounts.differences(),
        ...storedDifferences(batch, cells.hex(), chain),
      ];
    },
  };
}

/** What a batch still has to do depends on these counts. */
function countDifferences(kept: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): string[] {
  return [...new Set([...kept.keys(), ...counts.keys()])].flatMap((state) => {
    const [said, has] = [kept.get(state) ?? 0, counts.get(state) ?? 0];
    return said === has ? [] : `it counts ${counted(said, 'row')} as ${state}, but has ${has}`;
  });
}

/** A failed payment may have been charged. Once its row is retried, only the chain and the sum have the charge. */
function costDifferences(kept: ReadonlyMap<string, string>, costs: ExactSums, { failed }: ChainFacts): string[] {
  const earlier = failed.earlier();
  for (const currency of Object.keys(earlier.toObject())) costs.addFrom(currency, earlier, currency);
  const unreadable = [...kept].filter(([, cost]) => !isAmount(cost)).map(([currency]) => currency);
  const readable = Object.fromEntries([...kept].filter(([, cost]) => isAmount(cost)));
  const charged = costs.toObject();
  return [...new Set([...unreadable, ...costs.differences(sumsOf(readable))])].map(
    (currency) =>
      `it keeps ${currency} ${kept.get(currency) ?? '0'} as the sum of its costs, but its rows and the chain add up to ${currency} ${charged[currency] ?? '0'}`,
  );
}

/** An edited ledger may contain anything. */
function isAmount(text: string): boolean {
  return /^-?\d+(\.\d{1,18})?$/.test(text);
}

/** Charges that are in no row's cost: each must be in the chain, and the other way round. */
function makeLateCheck(kept: readonly LateCharge[], chain: ChainFacts) {
  const differences: string[] = [];
  const nameOf = (rowNo: number, topupId: unknown) => `${rowNo} ${topupId}`;
  const open = new Map(kept.map((charge) => [nameOf(charge.row_no, charge.topup_id), charge]));
  return {
    add(rowNo: number) {
      for (const { topupId, cost, currency, at } of chain.lateOf(rowNo)) {
        const name = nameOf(rowNo, topupId);
        const said = open.get(name);
        open.delete(name);
        const isSame = said?.cost === cost && said.cost_currency === currency && said.charged_at === at;
        if (!isSame)
          differences.push(
            `row ${rowNo} has ${said ? `${said.cost_currency} ${said.cost}` : 'nothing'} as the late charge of payment ${topupId}, but the chain says ${currency} ${cost} at ${new Date(at).toISOString()}`,
          );
      }
    },
    differences: () => [
      ...differences,
      ...[...open.values()].map(
        ({ row_no, topup_id, cost, cost_currency }) =>
          `row ${row_no} has ${cost_currency} ${cost} as the late charge of payment ${topup_id}, which the chain does not have`,
      ),
    ],
  };
}

/** The name of a column of the file; its place (from 1) if the names in an edited ledger cannot be read. */
function columnName(batch: BatchRecord, column: number): string | number {
  try {
    return columnsOf(batch)[column] ?? column + 1;
  } catch {
    return column + 1;
  }
}

/** Each amount must be in its cell of the file. Chains of earlier versions do not say in which column the cell is. */
function makeAmountCheck(batch: BatchRecord, { batch: { validated } }: ChainFacts) {
  const place = validated?.data.amount_column;
  const column = typeof place === 'number' ? place : null;
  let inputs: InputAmounts | null = null;
  return {
    add({ row_no, status, amount }: ReportedRow, cells: readonly string[]) {
      if (column === null) return;
      inputs ??= new InputAmounts(column, `input_${columnName(batch, column)}`);
      inputs.compare(row_no, status, amount ?? '', cells[column] ?? '');
    },
    differences() {
      const found = new Findings();
      inputs?.report(false, found);
      // A cell of an edited ledger may have a phone number.
      return found.list.map(({ message }) => withoutNumbers(message.replace(/\.$/, '')));
    },
  };
}

/** Chains of earlier versions have no digest of what intake stored, and forgotten people have no cells. */
function storedDifferences(
  batch: BatchRecord,
  cells: string,
  { batch: { validated, forgotten } }: ChainFacts,
): string[] {
  const said = validated?.data.stored_sha256;
  if (typeof said !== 'string' || forgotten !== null || said === storedDigest(batch, cells)) return [];
  return [
    `its file name, job, policy, columns, or the line, cells or problems of a row are not those that were stored when the file was read (compare them with the file, whose SHA-256 is ${batch.file_sha256})`,
  ];
}
