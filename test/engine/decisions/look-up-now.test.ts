import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lookUpNow } from '../../../src/engine/decisions/look-up-now.ts';
import { defaultEngineSettings } from '../../../src/engine/runner/settings.ts';
import type { Evidence, LookupOutcome, ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { findDoubt } from '../../../src/ledger/rows/doubts.ts';
import { eventSentence } from '../../../src/reports/sentences/audit-sentences.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { testService } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const reference = 'run-1/ref-1';
const evidence: Evidence = { httpStatus: 200, code: 'OK', message: 'listed', requestId: null };

/** Two rows. The first is charged, its answer is lost, and the list hides it, so it is left to a person. */
async function inDoubt(): Promise<Rig> {
  const rig = await makeRig();
  rig.service.script(reference, 'lose_answer', 'error_500', 'error_500', 'error_500');
  rig.service.hidden.add(reference);
  await rig.add(someRows(2));
  await rig.run();
  assert.deepEqual(await rig.states(), ['in_doubt', 'completed']);
  assert.equal((await rig.row(1)).next_action_at, null);
  return rig;
}

function lookUp(rig: Rig, { rows = [1], service = testService } = {}) {
  const limiter = makeOpenLimiter(rig.clock, { paceMs: 0 });
  const asked = { service, gateway: rig.service, limiter, settings: defaultEngineSettings };
  const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'console' as const };
  return rig.clock.drive(lookUpNow(mary, asked, 'batch-1', rows));
}

async function lastEvents(rig: Rig, count: number) {
  const events = (await pageEvents(rig.db, 'batch-1', 0, 1_000)).slice(-count);
  return events.map(({ kind, actor, body }): Record<string, unknown> => ({ kind, actor, ...JSON.parse(body) }));
}

/** What is stored of the payments: when and how often the program itself has looked them up. */
const payments = (rig: Rig) => rig.db.query('SELECT * FROM payments ORDER BY row_no');

describe('a look-up that a person asks for', () => {
  test('adopts the payment that the service has', async () => {
    const rig = await inDoubt();
    rig.service.hidden.clear();
    const [result] = await lookUp(rig);
    assert.deepEqual([result?.outcome, result?.evidence.httpStatus], ['adopted', 200]);
    assert.notEqual(result?.row.topup_id, null);
    const [adopted, settled] = await lastEvents(rig, 2);
    assert.deepEqual([adopted?.kind, adopted?.actor, adopted?.through], ['row.adopt', 'mary', 'console']);
    assert.deepEqual([settled?.kind, settled?.topup_id], ['row.complete', result?.row.topup_id]);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.equal(rig.service.charges.length, 2);
  });

  test('that finds nothing is recorded in the chain and changes nothing else', async () => {
    const rig = await inDoubt();
    const before = [await rig.row(1), await payments(rig)];
    const known = await findDoubt(rig.db, { batch_id: 'batch-1', row_no: 1 });
    for (let time = 0; time < 6; time += 1) {
      const [result] = await lookUp(rig);
      assert.equal(result?.outcome, 'not_found');
    }
    assert.deepEqual([await rig.row(1), await payments(rig)], before);
    assert.deepEqual(await findDoubt(rig.db, { batch_id: 'batch-1', row_no: 1 }), {
      ...known,
      ...{ looked_up_at: rig.clock.now(), looked_up_by: 'mary', look_up: 'not_found' },
    });
    assert.deepEqual([known?.owner, JSON.parse(known?.reason ?? '{}').code], [null, 'DOUBT_SAME_ERROR']);
    const events = (await pageEvents(rig.db, 'batch-1', 0, 1_000)).slice(-6);
    assert.ok(events.every(({ kind, actor, row_no }) => kind === 'row.look_up' && actor === 'mary' && row_no === 1));
    const [event] = events;
    assert.match(event ? eventSentence(event) : '', /^row 1: looked it up, as asked: not found \(/);
    await rig.run();
    assert.equal(rig.service.charges.length, 2, 'nothing was sent again');
  });

  test('that is not answered is recorded in the chain as unanswered', async () => {
    const rig = await inDoubt();
    const down: Evidence = { httpStatus: 503, code: 'http_503', message: 'call +254712405118', requestId: null };
    const lookup = async (): Promise<LookupOutcome> => ({ kind: 'unavailable', evidence: down });
    Object.assign(rig.service, { lookup });
    const before = await rig.row(1);
    assert.equal((await lookUp(rig))[0]?.outcome, 'unanswered');
    assert.deepEqual(await rig.row(1), before);
    const [event] = await lastEvents(rig, 1);
    assert.deepEqual([event?.kind, event?.look_up, event?.code], ['row.look_up', 'unanswered', 'http_503']);
    assert.doesNotMatch(JSON.stringify(event), /254712405118/);
  });

  test('that finds another payment under the reference halts the account', async () => {
    const rig = await inDoubt();
    await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2' });
    const payment = [...rig.service.payments.values()].find((one) => one.reference === reference) as ServicePayment;
    const other = { ...payment, amount: { value: '999.00', currency: 'KES' } };
    const lookup = async (): Promise<LookupOutcome> => ({ kind: 'found', payments: [other], evidence });
    Object.assign(rig.service, { lookup });
    assert.equal((await lookUp(rig))[0]?.outcome, 'halted');
    assert.match((await rig.row(1)).failure_reason ?? '', /A person must decide: the service has/);
    for (const id of ['batch-1', 'batch-2']) assert.equal((await rig.batch(id)).pause_reason, 'service_mismatch', id);
  });

  test('does not touch a row that was sent again while the service was asked', async () => {
    const rig = await inDoubt();
    rig.service.hidden.clear();
    const { lookup } = rig.service;
    Object.assign(rig.service, {
      lookup: async (...asked: Parameters<typeof lookup>) => {
        await rig.db.execute('UPDATE rows SET attempts = attempts + 1 WHERE row_no = 1');
        return lookup(...asked);
      },
    });
    assert.equal((await lookUp(rig))[0]?.outcome, 'changed');
    assert.equal((await rig.row(1)).status, 'in_doubt');
  });

  test('is refused for other rows, and at another service, before anything is asked', async () => {
    const rig = await inDoubt();
    const before = rig.service.lookUps.length;
    await assert.rejects(lookUp(rig, { rows: [1, 2] }), { code: 'BATCH_STATE', message: /is completed, not in doubt/ });
    await assert.rejects(lookUp(rig, { rows: [9] }), { code: 'ROW_UNKNOWN' });
    await assert.rejects(lookUp(rig, { service: 'https://elsewhere.example v2' }), { code: 'SERVICE_CHANGED' });
    assert.equal(rig.service.lookUps.length, before);
  });
});
