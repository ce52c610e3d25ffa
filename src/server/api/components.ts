import { z } from 'zod';
import { user } from '../../operations/access/user-fields.ts';
import { approvals } from '../../operations/base/approvals-now.ts';
import { balance, batchStatus, rowStatus, someReason } from '../../operations/base/fields.ts';
import { plan } from '../../operations/base/plan.ts';
import { situation } from '../../operations/base/situation-now.ts';
import { statusShape } from '../../operations/batches/batch-status.ts';
import { draftRow } from '../../operations/mending/draft-fields.ts';
import { step } from '../../operations/mending/step-json.ts';
import { batchResult } from '../../operations/working/batch-result.ts';

/** Shapes that stand in several results, by the names that the document of the API gives them. */
const shared: Readonly<Record<string, z.ZodType>> = {
  Approvals: approvals,
  Balance: balance,
  Batch: statusShape,
  BatchResult: batchResult,
  BatchStatus: batchStatus,
  DraftRow: draftRow,
  DraftStep: step,
  Plan: plan,
  Reason: someReason,
  RowStatus: rowStatus,
  Situation: situation,
  User: user,
};

/** Where clients find the results of these operations, and their schemas. A result has the name of its operation. */
export function componentsOf(results: Iterable<readonly [operation: string, result: z.ZodType]>) {
  const names = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shared)) names.add(shape, { id });
  for (const [operation, result] of results)
    if (!names.has(result)) names.add(result, { id: pascalCase(`${operation}-result`) });
  const { schemas } = z.toJSONSchema(names, { uri: placeOf });
  return {
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([id, { $schema: _draft, $id: _place, ...schema }]) => [id, schema]),
    ),
    refTo: (result: z.ZodType) => ({ $ref: placeOf(names.get(result)?.id ?? '') }),
  };
}

function placeOf(id: string): string {
  return `#/components/schemas/${id}`;
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
