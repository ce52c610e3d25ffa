import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeReadTrouble } from '../../../src/engine/pacing/read-trouble.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

test('the log names the service’s id of a request that got no proper answer, for its support', async () => {
  const logged: unknown[] = [];
  const trouble = makeReadTrouble({
    gate: { throttled: async () => 0 },
    pauseAccount: async () => undefined,
    clock: makeVirtualClock(),
    random: { fraction: () => 0.5, hex: () => '0' },
    log: { info: () => undefined, warn: (_message, data) => void logged.push(data) },
    settings: { readRetryMs: 1_000, unreachableWaitMsMax: 60_000 },
  });
  const requestId = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';
  await trouble({ kind: 'unavailable', evidence: { httpStatus: 503, code: 'http_503', message: '', requestId } });
  assert.deepEqual(logged, [{ code: 'http_503', request_id: requestId }]);
});
