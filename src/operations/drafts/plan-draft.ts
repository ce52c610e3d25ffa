import { defaultRunId } from '../../core/identity/ids.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { cancelUnsent } from '../../engine/batches/batch-commands.ts';
import type { Findings } from '../../intake/check/findings-shape.ts';
import { findings } from '../../intake/check/findings-shape.ts';
import { includedRow } from '../../ledger/drafts/draft-rows.ts';
import type { DraftRecord } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { sinceEarlier, sinceLast } from '../../reports/summary/review.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { withMended } from '../../runtime/drafts/draft-files.ts';
import { type LineShifts, lineOfDraft, withLinesOfDraft } from '../../runtime/drafts/mended-lines.ts';
import { makeBatch } from '../../runtime/upkeep/make-batch.ts';
import { comingTime } from '../base/input-times.ts';
import { moneyOfPlan, planMoney } from '../base/money-needs.ts';
import { defineOperation, type OperationContext } from '../base/operation.ts';
import { type Plan, plan, planJson } from '../base/plan.ts';
import { planBatch, unsentBatch, unsentJson } from '../files/batch-of-file.ts';
import { batchInput, readWithOf } from '../files/file-input.ts';
import { changedMeanwhile } from '../mending/change-rows.ts';
import { checkedDraft } from '../mending/check-draft.ts';
import { writeDraftEvents } from '../mending/draft-events.ts';
import { configuredWith, fromSheetOf, optionsOf } from '../mending/draft-fields.ts';
import { takePlannedStates } from '../mending/planned-rows.ts';
import { changeInput, changeResult, changing } from './changing.ts';

const { run_id, priority, finish_by } = batchInput.shape;

/**
 * Makes a batch of a draft as it stands, and plans what it would do. Nothing is sent before `submit-draft`; a change of
 * the draft cancels the batch. The rows of the draft get the states that they have in the batch. Without a run id, one
 * is derived from the original file, whatever was mended in it.
 */
export const planDraft = defineOperation({
  name: 'plan-draft',
  role: 'prepare',
  ledger: 'change',
  showsNumbers: { of: 'draft', role: 'prepare' },
  input: changeInput.extend({ run_id, priority, finish_by }),
  result: changeResult.extend(unsentBatch.shape).extend({
    plan,
    findings,
    since: sinceEarlier.nullable(),
    ...planMoney.shape,
  }),
  run: (context, { run_id: named, priority: rank, finish_by: by, ...of }) =>
    changing(context, of, async (draft, account, dropPlan) => {
      const { session, actor, nameOf } = context;
      const finishBy = comingTime(nameOf('finish_by'), by, session.clock.now());
      const runId = named ?? defaultRunId(draft.original_sha256);
      const checked = await checkedDraft(session, account, draft);
      await dropPlan();
      const { batch, shifts, ...found } = await importDraft(context, account, draft, {
        runId,
        priority: rank,
        finishBy,
      });
      if (!(await writeDraftEvents(session, draft, batch.batch_id))) {
        await cancelUnsent(actor, batch.batch_id, 'its draft was changed');
        throw changedMeanwhile(draft);
      }
      await takePlannedStates(session, checked, batch.batch_id, { found, shifts });
      const planned = await planBatch(context, account, batch);
      const unsent = await unsentJson(context, batch, planned);
      const { changedPercent } = storedPolicy(batch.policy).approval;
      return {
        ...unsent,
        ...(await moneyOfPlan(session, account, batch, planned.plan)),
        plan: await asDrafted(session.db, draft.draft_id, planJson(planned.plan), shifts),
        findings: {
          ...found,
          unusual: found.unusual.map((one) => ({ ...one, lines: linesOf(one.lines, shifts) })),
          problems: found.problems.map((group) => withLines(group, shifts)),
        },
        since: await sinceLast(session.db, batch, changedPercent),
      };
    }),
});

/** The plan with the numbers that its rows have in the draft, which may also have rows that are not in the file. */
async function asDrafted(db: Queryable, draftId: string, { unusual, ...of }: Plan, shifts: LineShifts): Promise<Plan> {
  const rowOf = async (row: number) => (await includedRow(db, draftId, row)) ?? row;
  const named = unusual.map(async (one) => ({
    ...one,
    rows: await Promise.all(one.rows.map(rowOf)),
    lines: linesOf(one.lines, shifts),
  }));
  return { ...of, unusual: await Promise.all(named) };
}

function linesOf(lines: readonly number[], shifts: LineShifts): number[] {
  return lines.map((line) => lineOfDraft(shifts, line));
}

type FoundProblems = Findings['problems'][number];

/** The rows of a group of problems with the lines that they have in the draft. */
function withLines(group: FoundProblems, shifts: LineShifts): FoundProblems {
  const examples = group.examples.map((one) => ({
    ...withLinesOfDraft(one, shifts),
    line: lineOfDraft(shifts, one.line),
  }));
  return { ...group, examples };
}

/** Makes a batch of the mended file. */
async function importDraft(
  { session, signal }: OperationContext,
  account: OpenAccount,
  draft: DraftRecord,
  about: Pick<Parameters<typeof makeBatch>[2], 'runId' | 'priority' | 'finishBy'>,
) {
  const options = optionsOf(draft);
  const { sheet: _, header_line: __, network_id: ___, ...input } = options;
  const read = {
    ...{ ...about, signal, isUnseen: false, fromSheet: fromSheetOf(draft) },
    settings: configuredWith(session, options),
    policy: session.config.policy,
    fileName: draft.file_name,
    readWith: readWithOf({ file: '', account: account.name, ...input }),
  };
  // It is what the batch was made of, and is kept as long as its people are.
  return withMended(
    session,
    draft,
    async (file, shifts) => ({ ...(await makeBatch(session, account, { ...read, file })), shifts }),
    { isKept: true },
  );
}
