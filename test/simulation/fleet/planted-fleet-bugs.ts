import type { PlantedBug } from '../planted-bugs.ts';

/** How an account is taken, up to whose lease counts as free; and the same without a look before the transaction. */
const takesUnasked = `  const lease = await db.transact(async (tx) => {
    await requireNotMoved(tx);
    const current = await findLease(tx, account);
    const deadHolder = current &&`;
const takesAccount = `  if (mark === null) await requireFree(db, options, clock.now());\n${takesUnasked}`;

/** Bugs that only several machines on one ledger show. */
export const plantedFleetBugs: readonly PlantedBug[] = [
  {
    name: 'fleet: a request of a machine that has slept past its lease',
    seed: 34,
    file: 'engine/dispatch/dispatch.ts',
    find: '        context.lease.assertHeld();\n        assertYoung',
    replace: '        assertYoung',
  },
  {
    name: 'fleet: a lease measured by the clock of the machine',
    seed: 2,
    file: 'engine/runner/lease.ts',
    find: `${takesAccount} isDead(current.holder) ? current.holder : null;`,
    replace: `${takesUnasked} current.expires_at <= clock.now() ? current.holder : null;`,
  },
  {
    name: 'fleet: a lease proved by wall and monotonic time alone, although the clock was set back during a suspension',
    seed: 708_981,
    file: 'core/time/clock.ts',
    find: 'return monotonic + suspendedMs;',
    replace: 'return monotonic;',
  },
  {
    name: 'fleet: a former holder renews the lease of the present one',
    seed: 34,
    file: 'ledger/schema/lease-table.ts',
    find: 'WHERE (account, fence, holder) IN (VALUES',
    replace:
      'WHERE account IN (SELECT column1 FROM (VALUES (CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT))) AS held) OR (account, fence, holder) IN (VALUES',
  },
  {
    name: 'fleet: a former holder releases the lease of the present one',
    seed: 34,
    file: 'ledger/schema/lease-table.ts',
    find: "'UPDATE leases SET expires_at = 0 WHERE account = ? AND fence = ? AND holder = ?'",
    replace: "'UPDATE leases SET expires_at = 0 WHERE account = ? AND (fence = ? OR holder <> ?)'",
  },
  {
    name: 'fleet: a fence that nobody checks',
    seed: 53,
    file: 'ledger/unit-of-work.ts',
    find: 'options.fence ? checkFence(tx, options.fence)',
    replace: 'options.fence ? undefined',
  },
  {
    name: 'fleet: a transaction that reads and then writes without the lock',
    seed: 684,
    file: 'ledger/drivers/postgres/postgres.ts',
    find: 'const alone: Turns = { locks: `pg_advisory_xact_lock(',
    replace: 'const alone: Turns = { locks: `abs(',
  },
  {
    name: 'fleet: an account is taken while its holder writes',
    seed: 684,
    file: 'engine/runner/lease.ts',
    find: "const beforeOthers = { turn: 'first' }",
    replace: "const beforeOthers = { turn: 'first', concurrent: true }",
  },
  {
    name: 'fleet: transactions that share a commit are taken as done before it',
    seed: 1,
    file: 'ledger/drivers/group-commit.ts',
    find: '        waiting.unshift(...group.splice(results.length));\n',
    replace: '        waiting.unshift(...group.splice(results.length));\n        settle(group, results);\n',
  },
  {
    name: 'fleet: a commit whose answer is lost is taken as done',
    seed: 2,
    file: 'ledger/drivers/postgres/commit.ts',
    find: '    if (await lookUp(at, begun)) return;\n',
    replace: '    if (at.ledger !== await Promise.resolve(lookUp.name)) return;\n',
  },
  {
    name: 'fleet: an account taken because pg-boss says so',
    seed: 2,
    file: 'engine/runner/lease.ts',
    find: `${takesAccount} isDead(current.holder) ? current.holder : null;`,
    replace: `${takesUnasked} current.holder !== holder ? current.holder : null;`,
  },
  {
    name: 'fleet: a lease believed for longer than the database keeps it',
    seed: 34,
    file: 'engine/runner/lease.ts',
    find: 'ttlMs - Math.max(Math.abs(wall), uptime)',
    replace: '6 * ttlMs - uptime',
  },
  {
    name: 'fleet: a renewal that failed is taken for a proof of the lease',
    seed: 12,
    file: 'engine/runner/renewals.ts',
    find: '    timesPerTtl = retriesPerTtl;\n',
    replace:
      '    timesPerTtl = retriesPerTtl;\n    for (const { renewed, machine, clock } of leases) renewed(machine.now(), clock.uptime());\n',
  },
  {
    name: 'fleet: a lease proved by the clock of the runner, which hides that the machine was suspended',
    seed: 295,
    file: 'engine/account-runner.ts',
    find: 'machine: deps.clock',
    replace: 'machine: clock',
  },
  {
    name: 'fleet: a new holder does not know what the former one has just sent',
    seed: 20,
    file: 'engine/runner/recent-throughput.ts',
    find: "limiter.usedBefore('creation', await",
    replace: 'void (await',
  },
  {
    name: 'fleet: a request whose intent was slow is made although the service has said to wait',
    seed: 1_006_179,
    file: 'engine/pacing/gate-keeper.ts',
    find: 'isClosed: () => limiter.isHeld(),',
    replace: 'isClosed: () => limiter.isHeld() && throttle === null,',
  },
  {
    name: 'fleet: a hand-over that releases the account before the answers are in',
    seed: 38,
    file: 'engine/dispatch/dispatch.ts',
    find: '  await Promise.all(jobs);\n',
    replace: '',
  },
  {
    name: 'fleet: a webhook that two machines receive is kept twice',
    seed: 11,
    file: 'server/verify-webhook.ts',
    find: 'message_id: messageId,',
    replace: 'message_id: messageId + Math.random(),',
  },
  {
    name: 'fleet: payments to a person that only the present holder counts',
    seed: 9,
    file: 'engine/dispatch/duplicates.ts',
    find: 'const query = { account: batch.account, since: countedSince(rules), runId: batch.run_id, withLost };',
    replace:
      'const seen = (duplicateRules.seen ??= new WeakMap()); if (!seen.has(open)) seen.set(open, unit.at); const query = { account: batch.account, since: seen.get(open), runId: null, withLost };',
  },
  {
    name: 'fleet: a slot that two machines claim',
    seed: 123,
    file: 'operations/slots/claimed-slot.ts',
    find: '(before === holder || isDead(before) || isSilent(slot?.expires_at ?? null, await timeIn(db)));\n  const claim = { job, dueAt, holder, deadHolder: isLeft ? before : null };\n  const isClaimed = await db.transact(async (tx) => {\n    await prepare?.(tx);\n    return claimSlot(tx, { ...claim, now: clock.now(), expiresAt: (await timeIn(tx)) + holdMs });\n  });\n  if (!isClaimed) return null;\n  const ended = new AbortController();\n  const goingOn = goOn({ db, clock, ended: ended.signal }, claim);\n  const result = await run(async (tx) => {\n    if (!(await renewSlot(tx',
    replace:
      'true;\n  const claim = { job, dueAt, holder, deadHolder: isLeft ? before : null };\n  const isClaimed = await db.transact(async (tx) => {\n    await prepare?.(tx);\n    return claimSlot(tx, { ...claim, now: clock.now(), expiresAt: (await timeIn(tx)) + holdMs });\n  });\n  if (!isClaimed) return null;\n  const ended = new AbortController();\n  const goingOn = goOn({ db, clock, ended: ended.signal }, claim);\n  const result = await run(async (tx) => {\n    if (!job && !(await renewSlot(tx',
  },
];
