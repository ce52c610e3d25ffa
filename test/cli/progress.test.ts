import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showProgress } from '../../src/cli/progress.ts';
import { makeRig, type Rig, someRows } from '../support/engine.ts';
import { makeOpenLimiter } from '../support/open-limiter.ts';

/** What the screen shows of a batch as it stands, before its end and at its end. */
async function shown({ clock, db }: Rig, isInteractive = true) {
  const lines: string[] = [];
  const screen = {
    isInteractive,
    error: (text: string) => void lines.push(text.trimEnd()),
    show: ([line = '']: readonly string[]) => void lines.push(line.replaceAll('\u00a0', ' ').replace(/^ [█░]+ /, '')),
    keep: () => undefined,
  };
  const progress = showProgress(screen, { db, clock }, { limiter: makeOpenLimiter(clock) }, ['batch-1']);
  await clock.drive(clock.sleep(40_000).then(() => progress.end()));
  return { before: lines.at(-2), atEnd: lines.at(-1) };
}

test('a row in doubt is shown as such while the others are sent, and at the end', async () => {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add(someRows(3));
  await rig.run(60_000);
  // As they were before the service had ended them.
  await rig.db.execute(
    `UPDATE batch_counts SET count = CASE status WHEN 'in_doubt' THEN 1 WHEN 'accepted' THEN 2 ELSE 0 END`,
  );
  for (const isInteractive of [true, false]) {
    assert.deepEqual(await shown(rig, isInteractive), {
      before: '0 of 3 rows settled · 1 in doubt · 2 under way',
      atEnd: '0 of 3 rows settled · 1 in doubt',
    });
  }
});

test('a batch without doubts shows none', async () => {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'refuse');
  await rig.add(someRows(3));
  await rig.run(60_000);
  assert.equal((await shown(rig)).atEnd, '3 of 3 rows settled · 1 failed');
});
