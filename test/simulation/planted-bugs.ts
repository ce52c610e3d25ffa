/**
 * Small mutations of the program, each of which the simulation must catch: one that has never caught anything proves
 * nothing.
 */
export interface PlantedBug {
  name: string;
  /** The file below `src/` that is changed as it is loaded. */
  file: string;
  /** Stands exactly once in the file. */
  find: string;
  replace: string;
  /** A seed that has caught it, which is tried first; which seed does can change with the program. */
  seed?: number;
  /** For a bug that keeps the work going: after how many jumps of the clock that is clear. Seeds need some thousands. */
  jumpsMax?: number;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a random idempotency key',
    file: 'core/identity/ids.ts',
    find: 'return uuidV5(JSON.stringify([account, runId, rowRef, generation]));',
    replace: 'return uuidV5(JSON.stringify([account, runId, rowRef, generation, performance.now()]));',
  },
  {
    name: 'a key that forgets the generation',
    seed: 29,
    file: 'core/identity/ids.ts',
    find: 'JSON.stringify([account, runId, rowRef, generation])',
    replace: 'JSON.stringify([account, runId, rowRef])',
  },
  {
    name: 'an unknown outcome taken for a failure',
    seed: 7,
    file: 'engine/dispatch/outcomes.ts',
    find: "    case 'in_doubt':\n      await doubt(unit, context, row, payment, data);\n      return {};",
    replace: "    case 'in_doubt':\n      return writeRefusal(unit, context, row, closed(payment), outcome.evidence);",
  },
  {
    name: 'an unknown outcome taken for never sent',
    seed: 7,
    file: 'engine/dispatch/outcomes.ts',
    find: "    case 'in_doubt':\n      await doubt(unit, context, row, payment, data);\n      return {};",
    replace:
      "    case 'in_doubt':\n      return makeReadyAgain(unit, context, row, closed(payment), { at: unit.at, charge: true, data });",
  },
  {
    name: 'a refusal that forgets earlier open attempts',
    seed: 432,
    file: 'engine/dispatch/outcomes.ts',
    find: "  if (payment.open_attempts > 0) {\n    await doubt(unit, context, row, payment, {\n      why: 'refused",
    replace: "  if (payment.open_attempts > 99) {\n    await doubt(unit, context, row, payment, {\n      why: 'refused",
  },
  {
    name: 'not found taken for absent: the next generation at once',
    seed: 93,
    file: 'engine/doubts/in-doubt.ts',
    find: '  if (payment.open_attempts === 0) return stepWhenRefused(payment, policy, now);',
    replace: '  if (payment.open_attempts >= 0) return stepWhenRefused(payment, policy, now);',
  },
  {
    name: 'a key sent again past its age',
    seed: 17,
    file: 'engine/doubts/in-doubt.ts',
    find: 'if (now - payment.first_intent_at >= policy.resendAgeMsMax) return stepWhenAged(payment, policy, now);',
    replace: '',
  },
  {
    name: 'an interrupted send given up for the next generation',
    seed: 12,
    file: 'engine/doubts/doubts.ts',
    find: "await unit.changeRow(row, 'doubt', fields, { why: 'interrupted' });",
    replace:
      "await unit.changeRow(row, 'unsent', { ...fields, generation: row.generation + 1, next_action_at: null }, { why: 'interrupted' });",
  },
  {
    name: 'interrupted sends forgotten',
    seed: 3,
    jumpsMax: 20_000,
    file: 'engine/loops.ts',
    find: 'const count = await doubtInterrupted(context, open);',
    replace: 'const count = 0 * (await Promise.resolve(doubtInterrupted.length + (open ? 0 : 0)));',
  },
  {
    name: 'another batch’s key sent again',
    file: 'engine/dispatch/intents.ts',
    find: 'if (payment.batch_id === row.batch_id && payment.row_no === row.row_no) return null;',
    replace: 'if (payment.row_no > 0) return null;',
  },
  {
    name: 'the intent written after the request',
    file: 'engine/dispatch/dispatch.ts',
    find: 'return rows.length === 0 ? [] : await recordIntents(context, rows, looked.confirmed);',
    replace:
      'for (const row of rows) { const open = context.batches.get(row.batch_id); if (open) { const { paymentNames, paymentRequestOf } = await import("../payments/payment-request.ts"); const { key, reference } = paymentNames(open.batch, row, row.generation); await context.gateway.create({ body: context.gateway.body(paymentRequestOf(row, reference, null)), idempotencyKey: key }); } }\n        return rows.length === 0 ? [] : await recordIntents(context, rows, looked.confirmed);',
  },
  {
    name: 'a row completed when it was only accepted',
    file: 'engine/payments/settle.ts',
    find: "if (payment.state !== 'open' && !needsRead(payment)) {",
    replace:
      "if (payment.state === 'open') payment = { ...payment, state: 'completed' };\n  if (payment.state !== 'open' && !needsRead(payment)) {",
  },
  {
    name: 'an unknown status taken for success',
    file: 'engine/payments/settle.ts',
    find: "const isCompleted = payment.state === 'completed';",
    replace: "const isCompleted = payment.state === 'completed' || payment.state === 'failed';",
  },
  {
    name: 'a body made anew for every attempt',
    file: 'engine/dispatch/dispatch.ts',
    find: '      body: payment.body,',
    replace: "      body: payment.body.replace('}', ' '.repeat(payment.attempts) + '}'),",
  },
  {
    name: 'counts that forget a state',
    seed: 10,
    jumpsMax: 20_000,
    file: 'ledger/unit-of-work.ts',
    find: 'count(pending, before.batch_id, before.status, -1);',
    replace: '',
  },
  {
    name: 'an audit event left out of the chain',
    file: 'ledger/audit/chain-writer.ts',
    find: 'event.hash = chainHash(head.hash, event);',
    replace: "event.hash = kind === 'row.accept' ? head.hash : chainHash(head.hash, event);",
  },
  {
    name: 'an audit event that tells another cost than the row',
    file: 'ledger/unit-of-work.ts',
    find: 'facts.cost = after.cost;',
    replace: 'facts.cost = before.cost;',
  },
  {
    name: 'the cost of a payment lost',
    file: 'engine/payments/settle.ts',
    find: 'cost: payment.cost?.value ?? row.cost,',
    replace: 'cost: null,',
  },
  {
    name: 'a batch’s costs that keep what a row cost before it failed',
    file: 'ledger/rows/cost-totals.ts',
    find: "        delta.add(before.cost_currency, subtractAmounts('0', before.cost));",
    replace: '        undefined;',
  },
  {
    name: 'code 90 taken for success without a look',
    seed: 38,
    file: 'engine/dispatch/outcomes.ts',
    find: "    case 'exists':\n    case 'number_blocked':",
    replace:
      "    case 'exists':\n      await updateAttempts(unit.tx, payment);\n      await unit.changeRow(row, 'complete', { completed_at: unit.at }, data);\n      return {};\n    case 'number_blocked':",
  },
  {
    name: 'a doubt that is looked up but never sent again',
    seed: 3,
    file: 'engine/doubts/doubts.ts',
    find: 'if (noted) context.picker.putBack(noted, unit.at);\n      return noted !== null;',
    replace:
      'await unit.noteRow(noted ?? row, { next_action_at: unit.at + 9e11 }, null, {});\n      return noted !== null;',
  },
  {
    name: 'a request that does not wait for its intent',
    file: 'engine/dispatch/dispatch.ts',
    find: 'return rows.length === 0 ? [] : await recordIntents(context, rows, looked.confirmed);',
    replace:
      'const { paymentNames, paymentRequestOf } = await import("../payments/payment-request.ts"); for (const row of rows) { const open = context.batches.get(row.batch_id); if (!open) continue; const { key, reference } = paymentNames(open.batch, row, row.generation); void context.gateway.create({ body: context.gateway.body(paymentRequestOf(row, reference, null)), idempotencyKey: key }); }\n        return rows.length === 0 ? [] : await recordIntents(context, rows, looked.confirmed);',
  },
  {
    name: 'a fence that nobody checks',
    seed: 141,
    file: 'ledger/unit-of-work.ts',
    find: 'options.fence ? checkFence(tx, options.fence)',
    replace: 'options.fence ? undefined',
  },
  {
    name: 'a lease that is not checked before the request',
    seed: 73,
    file: 'engine/dispatch/dispatch.ts',
    find: '        context.lease.assertHeld();\n        assertYoung',
    replace: '        assertYoung',
  },
  {
    name: 'a clock that is believed when it was set back',
    seed: 78,
    file: 'engine/account-runner.ts',
    find: 'const highestSeenMs = await highestClockOf(deps.db, options.account);',
    replace: 'const highestSeenMs = 0 * (await highestClockOf(deps.db, options.account));',
  },
  {
    name: 'the service’s time is not compared with the machine’s',
    seed: 18024,
    file: 'engine/payments/key-age.ts',
    find: 'const serviceMs = gateway.serviceTime();',
    replace: 'const serviceMs = gateway.serviceTime() === 0 ? 0 : null;',
  },
  {
    name: 'no waiting when the service says to wait',
    seed: 3,
    file: 'engine/dispatch/dispatch.ts',
    find: "outcome.kind === 'throttled' ? context.gate.throttled('creation', outcome) : null",
    replace: 'null',
  },
  {
    name: 'a mismatch that is adopted',
    seed: 4,
    file: 'engine/doubts/in-doubt.ts',
    find: "if (difference) return { do: 'halt',",
    replace: "if (difference && now < 0) return { do: 'halt',",
  },
  {
    name: 'a mismatch that stops the account only after it was told of',
    seed: 978,
    file: 'engine/dispatch/outcomes.ts',
    find: '  if (after.pause) await writePause(unit, context, after.pause.reason, after.pause.why);\n',
    replace: '',
  },
  {
    name: 'no look at what other runs sent lately',
    seed: 4,
    file: 'engine/dispatch/duplicates.ts',
    find: 'const earlier = paymentsTo(before, row);',
    replace: 'const earlier = paymentsTo(before, row).slice(0, 0);',
  },
  {
    name: 'a failed payment that is not read again before the same person is paid',
    seed: 100,
    file: 'core/duplicates/comparison.ts',
    find: '  if (isOwn(row, failed)) return false;\n',
    replace: '  if (failed !== null) return false;\n',
  },
  {
    name: 'no look at what a row without a reference may correct',
    seed: 32,
    file: 'core/duplicates/decision-table.ts',
    find: 'mayCorrect(row, payment, known)',
    replace: 'known === null && mayCorrect(row, payment, known)',
  },
  {
    name: 'the service’s list is not read after a restore',
    seed: 34,
    file: 'engine/dispatch/dispatch.ts',
    find: 'if (context.restoredAt !== null) await readLostPayments(context, context.restoredAt);',
    replace: '',
  },
  {
    name: 'a ledger that nobody compares with the service',
    seed: 111,
    file: 'engine/dispatch/dispatch.ts',
    find: '(await isCompared()) ? taken : []',
    replace: 'taken',
  },
  {
    name: 'rows of a restored ledger that are not looked up',
    seed: 111,
    file: 'engine/dispatch/dispatch.ts',
    find: 'context.restoredAt === null ? rows :',
    replace: 'context !== null ? rows :',
  },
  {
    name: 'after a restore of Version 1, rows of other batches are not looked up',
    seed: 543,
    file: 'engine/dispatch/dispatch.ts',
    find: 'return withLostOfOthers(context, await restoreLookup(context, rows, restoredAtMs));',
    replace: 'return restoreLookup(context, rows, restoredAtMs);',
  },
  {
    name: 'a row that is fed in again goes on whatever became of it',
    seed: 48,
    file: 'core/duplicates/decision-table.ts',
    find: "mayGoOn === 'if_unpaid' && isUnpaid(owner)",
    replace: "mayGoOn === 'if_unpaid'",
  },
  {
    name: 'an approval by who submitted the batch',
    seed: 27,
    file: 'engine/plan/approval.ts',
    find: 'if (name === undefined) return;',
    replace: 'if (name !== null) return;',
  },
  {
    name: 'an approval of whatever rows are there',
    seed: 5,
    file: 'engine/plan/approval.ts',
    find: 'found === batch.content_sha256 && (seenDigest',
    replace: '(seenDigest',
  },
  {
    name: 'the same person counted twice among those who approve',
    seed: 5,
    file: 'engine/plan/approval.ts',
    find: 'if (others.length === alike.length) return others;',
    replace: 'if (batch_id) return alike;',
  },
  {
    // Either alone is harmless: what was taken from a process brings nothing more of it.
    name: 'a slot taken from a process that lives, and brings all the same',
    seed: 148,
    file: 'operations/slots/claimed-slot.ts',
    find: '(before === holder || isDead(before) || isSilent(slot?.expires_at ?? null, await timeIn(db)));\n  const claim = { job, dueAt, holder, deadHolder: isLeft ? before : null };\n  const isClaimed = await db.transact(async (tx) => {\n    await prepare?.(tx);\n    return claimSlot(tx, { ...claim, now: clock.now(), expiresAt: (await timeIn(tx)) + holdMs });\n  });\n  if (!isClaimed) return null;\n  const ended = new AbortController();\n  const goingOn = goOn({ db, clock, ended: ended.signal }, claim);\n  const result = await run(async (tx) => {\n    if (!(await renewSlot(tx',
    replace:
      'true;\n  const claim = { job, dueAt, holder, deadHolder: isLeft ? before : null };\n  const isClaimed = await db.transact(async (tx) => {\n    await prepare?.(tx);\n    return claimSlot(tx, { ...claim, now: clock.now(), expiresAt: (await timeIn(tx)) + holdMs });\n  });\n  if (!isClaimed) return null;\n  const ended = new AbortController();\n  const goingOn = goOn({ db, clock, ended: ended.signal }, claim);\n  const result = await run(async (tx) => {\n    if (!job && !(await renewSlot(tx',
  },
  {
    name: 'a commit that is told of before the disk has it',
    seed: 7,
    file: 'ledger/drivers/sqlite/wal-sync.ts',
    find: 'while (durableCommits < wanted) {',
    replace: 'while (durableCommits < 0) {',
  },
  {
    name: 'a wait for the disk that is believed of what came after it began',
    seed: 1_248,
    file: 'ledger/drivers/sqlite/wal-sync.ts',
    find: 'durableCommits = reached;',
    replace: 'durableCommits = commits;',
  },
  {
    name: 'a verdict that forgets open rows',
    seed: 32,
    file: 'reports/sentences/verdict.ts',
    find: '    open > 0\n',
    replace: '    open > 99\n',
  },
  {
    name: 'masked reports that show the number',
    seed: 8,
    file: 'reports/render/results.ts',
    find: "    if (column === 'phone_number') return maskPhone(value);",
    replace: "    if (column === 'phone_number') return value;",
  },
  {
    name: 'failed rows that are not read again',
    seed: 1_686,
    file: 'ledger/rows/rows.ts',
    find: "((status IN ('completed', 'failed') AND first_sent_at IS NOT NULL)",
    replace: "((status = 'completed' AND first_sent_at IS NOT NULL)",
  },
  {
    name: 'a second payment that is read again and not noted',
    seed: 2_643,
    file: 'engine/tracking/reread.ts',
    find: 'const second = await noteSecond(unit, current, payment);',
    replace: 'const second = current === null ? await noteSecond(unit, current, payment) : null;',
  },
];
