import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import * as byName from '../../../src/operations/all.ts';

const integerMax = 2 ** 31 - 1;

/** Members that no statement compares with an INTEGER: their columns are BIGINT, or the program itself uses them. */
const large = [
  ...['approve-batch.seen.products', 'approve-batch.seen.to_send', 'back-up-ledger.keep'],
  ...['change-draft.options.expect_rows', 'change-draft.options.network_id'],
  ...['create-draft.expect_rows', 'create-draft.network_id', 'import-file.expect_rows'],
  ...['list-access-events.after', 'list-deliveries.after', 'list-events.after', 'list-open-items.after'],
  ...['list-products.network_id', 'note-open-item.item_no', 'redeliver-webhook.delivery_no', 'release-rows.seen'],
  ...['reopen-failed.times_max', 'reopen-failed.unanswered_max', 'run-file.expect_rows', 'show-difference.version'],
  ...['skip-rows.seen', 'submit-file.expect_rows', 'validate-file.expect_rows'],
];

interface Schema {
  type?: string;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The members of an input that take a larger integer than PostgreSQL's INTEGER, with which it refuses a statement. */
function tooLarge(name: string, { type, maximum = Infinity, properties = {}, items, anyOf = [] }: Schema): string[] {
  if (type === 'integer') return maximum > integerMax ? [name] : [];
  const inside = [...anyOf, ...(items ? [items] : [])].flatMap((one) => tooLarge(name, one));
  return [...inside, ...Object.entries(properties).flatMap(([member, of]) => tooLarge(`${name}.${member}`, of))];
}

test('no operation takes a number that is too large for its column on PostgreSQL', () => {
  const found = Object.values(byName).flatMap(({ name, input }) =>
    tooLarge(name, z.toJSONSchema(input, { io: 'input' }) as Schema),
  );
  assert.deepEqual(found.toSorted(), large);
});
