import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitsLine } from '../../../src/cli/running/event-screen.ts';
import type { PauseReason } from '../../../src/core/state/batch-state.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import type { OperationEvent } from '../../../src/operations/base/events.ts';
import { makeWatching } from '../../../src/operations/working/watching.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { setPause } from '../../support/ledger.ts';

const minute = 60_000;

/** What the command line shows of it. */
function lineOf(event: OperationEvent): string {
  assert.ok(event.kind === 'waits' || event.kind === 'note');
  return event.kind === 'waits' ? waitsLine(event) : event.text;
}

/** A batch in doubt that another process has: it looks the row up once a minute for as long as `story` lasts. */
async function watched(
  reason: PauseReason,
  detail: string,
  story: (rig: Rig) => Promise<void> = async () => undefined,
) {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add(someRows(2));
  await rig.run(minute);
  await rig.db.execute(`UPDATE rows SET status = 'accepted' WHERE row_no = 2`);
  assert.deepEqual(await rig.states(), ['in_doubt', 'accepted']);
  await setPause(rig.db, reason, { detail });
  const now = rig.clock.now();
  const lease = { account: 'main', holder: 'elsewhere/1/1', now, ttlMs: 60 * minute, deadHolder: null };
  await takeLease(rig.db, lease);
  const lines: string[] = [];
  /** What would go on if the command were stopped while it shows each line. */
  const unpaused: (readonly string[])[] = [];
  const config = { accounts: new Map([['main', { resumeWhenFunded: true, credentialsFrom: 'TOPUP_KEY' }]]) };
  const emit = (event: OperationEvent) => {
    lines.push(lineOf(event));
    unpaused.push(watching.unpaused());
  };
  const watching = makeWatching({ ...rig, config }, emit, {
    batchIds: ['batch-1'],
    patienceMs: 20 * minute,
    promisedMs: 30 * minute,
  });
  const from = rig.clock.now();
  const watch = async () => {
    while (rig.clock.now() - from < 30 * minute && (await watching.look())) {
      await rig.db.execute('UPDATE rows SET next_action_at = ?', [rig.clock.now() + minute]);
      await rig.clock.sleep(1_000);
    }
  };
  await rig.clock.drive(Promise.all([watch(), story(rig)]).then(() => undefined));
  return { lines, minutes: (rig.clock.now() - from) / minute, unpaused };
}

describe('a command that watches another process', () => {
  const refused = ['credentials_rejected', 'UNAUTHORIZED: no such key'] as const;

  test('reports once that the other was refused, and ends when nothing has changed for two look-ups', async () => {
    const { lines, minutes } = await watched(...refused);
    assert.ok(minutes > 2 && minutes < 3, `${minutes} minutes`);
    assert.equal(lines.length, 2, lines.join('\n'));
    assert.match(
      lines[0] ?? '',
      /waits for a person: it is paused \(credentials rejected: UNAUTHORIZED: no such key\); correct TOPUP_KEY, then resume it\. .* Next: "airbatch resume /,
    );
    assert.match(
      lines[1] ?? '',
      /refuses the credentials of the airbatch that works for this account; nothing has moved for 2 min 30 s/,
    );
  });

  test('continues if the other may still read, as long as rows come to their ends', async () => {
    const { minutes } = await watched(...refused, async ({ clock, db }) => {
      await clock.sleep(2 * minute);
      await db.execute(`UPDATE batch_counts SET count = count + 1 WHERE status = 'ready'`);
    });
    assert.ok(minutes > 4 && minutes < 5, `${minutes} minutes`);
  });

  test('reports what a person has paused, and follows with the other what was sent', async () => {
    const { lines, minutes, unpaused } = await watched('by_person', 'month-end');
    assert.equal(minutes, 30);
    assert.deepEqual(unpaused, [[], []]);
    // Once at first, and once more after 15 minutes, since a wait that nobody explains looks like a fault.
    assert.equal(lines.length, 2, lines.join('\n'));
    assert.equal(
      lines[0],
      'Batch batch-1 waits for a person: it is paused (by a person: month-end); resume it. ' +
        'Payments already sent are still followed: this command waits for the next look-up of 1 row in doubt, in 1 min 28 s. ' +
        'The service promises a result by 2026-11-20 09:30:00 UTC. Next: "airbatch resume batch-1". Ctrl-C is safe: the other airbatch continues.',
    );
  });

  test('says that nobody is needed if the other continues by itself once there is money', async () => {
    const { lines } = await watched('insufficient_balance', 'too little');
    for (const line of lines)
      assert.match(
        line,
        /waits for money: airbatch continues by itself when a wallet holds enough, or when it is resumed\. .*Next: "airbatch resume batch-1"\. /,
      );
  });
});

/** What a command that works on the batch itself says in so many minutes in which nothing changes. */
async function saidOf(set: string, minutes: number): Promise<{ at: number; line: string }[]> {
  const rig = await makeRig();
  await rig.add(someRows(2));
  await rig.db.execute(`UPDATE batches SET status = 'running'`);
  await rig.db.execute(`UPDATE rows SET ${set}`);
  if (set.includes('accepted')) await rig.db.execute(`UPDATE batch_counts SET status = 'accepted'`);
  const now = rig.clock.now();
  await takeLease(rig.db, { account: 'main', holder: 'here/1/1', now, ttlMs: 60 * minute, deadHolder: null });
  const said: { at: number; line: string }[] = [];
  const config = { accounts: new Map() };
  const watching = makeWatching(
    { ...rig, config },
    (event) => said.push({ at: rig.clock.now() - now, line: lineOf(event) }),
    {
      batchIds: ['batch-1'],
      patienceMs: 20 * minute,
      promisedMs: 30 * minute,
    },
  );
  const watch = async () => {
    while (rig.clock.now() - now < minutes * minute) {
      await watching.showWaits();
      await rig.clock.sleep(1_000);
    }
  };
  await rig.clock.drive(watch());
  return said;
}

describe('a command that works on a batch', () => {
  test('says after a few seconds what it waits for, until when, and that Ctrl-C is safe, and again after 15 minutes', async () => {
    const at = Date.parse('2026-11-20T09:00:00Z');
    const said = await saidOf(`status = 'accepted', accepted_at = ${at}`, 20);
    assert.deepEqual(
      said.map((one) => one.at),
      [10_000, 10_000 + 15 * minute],
    );
    assert.equal(
      said[0]?.line,
      'Batch batch-1 waits for the service’s result for 2 rows. Nothing has changed for 10 s. ' +
        'The service promises a result by 2026-11-20 09:30:00 UTC. ' +
        'Ctrl-C is safe: nothing is paid twice or lost, and "airbatch resume batch-1" continues.',
    );
  });

  test('says nothing while rows only wait for the next minute of the rate limit, but says why if nothing is sent for two', async () => {
    assert.deepEqual(await saidOf(`input = '{}'`, 1.5), []);
    const [first] = await saidOf(`input = '{}'`, 3);
    assert.equal(first?.at, 2 * minute);
    assert.match(
      first?.line ?? '',
      /^Batch batch-1 waits for the service\. Nothing has changed for 2 min\. Ctrl-C is safe/,
    );
  });
});
