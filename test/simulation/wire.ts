import type { Transport, TransportRequest, TransportResult } from '../../src/gateway/transport/transport.ts';
import type { SeenRequest } from './invariants.ts';
import { type NetworkFault, networkFaults } from './plan.ts';
import type { SimulatedProcess } from './process.ts';
import type { SeededRandom } from './seeded-random.ts';
import { note, type World } from './world.ts';

/** What answers a request, without a socket. */
export type Handle = (request: {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}) => Promise<{ status: number; headers: Record<string, string>; body: string }>;

export interface WireOptions {
  world: Pick<World, 'calmAfterMs' | 'clock' | 'faults' | 'plan' | 'seen' | 'sends' | 'service' | 'steps' | 'trace'>;
  /** The body that is durably bound to a reference by now, or null: `Disk.intentOf`. */
  intentOf: (reference: string) => string | null;
  /** Whether the process holds the account by now, as the ledger says. */
  isHolder: () => boolean;
  /** Whether the process does not reach the service now. */
  isCut?: () => boolean;
  random: SeededRandom;
  trace: (line: string) => void;
}

/** The network between a simulated process and the sandbox: it loses, delays, cuts and repeats as the plan says. */
export function makeWire(options: WireOptions, process: SimulatedProcess, processNumber: number): Transport {
  const { trace, intentOf, isHolder } = options;
  const { clock, plan, seen } = options.world;
  let told = { at: 0, waitUntil: 0 };
  // A process that was frozen meanwhile has not read it yet.
  const isDeaf = ({ frozenUntil }: SimulatedProcess) => {
    const now = clock.monotonic();
    return now < told.waitUntil && now > told.at && frozenUntil() < told.at;
  };
  return {
    close: async () => undefined,
    send: (request, read) =>
      process.step('send', async () => {
        request.beforeWrite?.();
        const fault = drawFault(options, request);
        const isCreate = request.method === 'POST';
        let creation: SeenRequest | null = null;
        if (isCreate && fault !== 'refused') {
          const { reference, extRefId } = JSON.parse(request.body ?? '{}') as { reference?: string; extRefId?: string };
          const name = reference ?? extRefId ?? '';
          creation = {
            reference: name,
            key: request.headers['idempotency-key'] ?? name,
            body: request.body ?? '',
            intended: intentOf(name) === request.body,
            throttleWait: isDeaf(process),
            held: isHolder(),
            at: clock.monotonic(),
            process: processNumber,
            isRefused: false,
          };
          seen.push(creation);
        }
        trace(`${request.method} ${request.path.split('?')[0]}${fault ? ` ${fault}` : ''}`);
        const isWrong = isCreate && fault === null && seen.length === plan.wrongAnswer;
        const met = await meet(options, request, fault);
        const result = isWrong ? withOtherAmount(options, met) : met;
        if (creation !== null)
          creation.isRefused = result.kind === 'answer' && result.status >= 400 && result.status < 500;
        if (result.kind === 'answer' && result.status === 429) {
          const waitUntil = clock.monotonic() + 1_000 * Number(result.headers['retry-after'] ?? 0);
          if (waitUntil > told.waitUntil) told = { at: clock.monotonic(), waitUntil };
        }
        return read(result);
      }),
  };
}

function drawFault({ world, random, isCut }: WireOptions, request: TransportRequest): NetworkFault | null {
  const { plan, clock, faults, calmAfterMs } = world;
  world.sends.push(world.steps);
  if (plan.lostAnswers.includes(world.steps)) {
    note(world, 'response_lost', `at step ${world.steps}`);
    return 'response_lost';
  }
  if (isCut?.()) return random.pick(['refused', 'request_lost', 'response_lost'] as const);
  if (clock.monotonic() >= calmAfterMs) return null;
  for (const fault of networkFaults) {
    if (fault === 'refused_at_the_door' && request.method !== 'POST') continue;
    if (fault === 'list_lags' && (request.method !== 'GET' || !/reference=|extRefId=/.test(request.path))) continue;
    if (!random.percent(plan.network[fault])) continue;
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    return fault;
  }
  return null;
}

const lost = (code: string, status: number | null = null): TransportResult => ({
  kind: 'unknown',
  code,
  message: code,
  status,
});
const answer = (status: number, text: string, headers: Record<string, string> = {}): TransportResult => ({
  kind: 'answer',
  status,
  headers,
  text,
});

/** The answer to a creation of a service that takes another payment for the one asked for. */
function withOtherAmount({ world }: WireOptions, met: TransportResult): TransportResult {
  if (met.kind !== 'answer' || met.status >= 300) return met;
  const { data, ...envelope } = JSON.parse(met.text) as { data: { amount: number | { value: number } } };
  note(world, 'wrong_answer', `to creation ${world.seen.length}`);
  const amount = typeof data.amount === 'number' ? data.amount + 1 : { ...data.amount, value: data.amount.value + 1 };
  return { ...met, text: JSON.stringify({ ...envelope, data: { ...data, amount } }) };
}

/** The answer to the second delivery, unless that was one request too many: its 429 says nothing about the first. */
function withoutRefusal(first: TransportResult, second: TransportResult): TransportResult {
  return second.kind === 'answer' && second.status === 429 ? first : second;
}

async function meet(
  options: WireOptions,
  request: TransportRequest,
  fault: NetworkFault | null,
): Promise<TransportResult> {
  const { random } = options;
  const { clock, service } = options.world;
  const deliver = async () => {
    await clock.sleep(random.between(5, 400));
    const { method, path, headers, body } = request;
    const reply = await clock.during(
      service.handle({ method, path, headers: { ...headers }, ...(body === null ? {} : { body }) }),
    );
    return answer(reply.status, reply.body, { ...reply.headers, date: new Date(service.now()).toUTCString() });
  };
  const deadline = () => clock.sleep(request.deadlineMs);
  switch (fault) {
    case null:
      return deliver();
    case 'refused':
      return { kind: 'not_sent', code: 'connection_refused', message: 'refused', status: null };
    case 'request_lost':
      await deadline();
      return lost('timeout');
    case 'response_lost':
      // The charge may come long after we gave up: what is not found now may be there later.
      void deliver();
      await deadline();
      return lost('timeout');
    case 'slow': {
      const late = clock.sleep(random.between(1_000, request.deadlineMs * 2)).then(deliver);
      return Promise.race([late, deadline().then(() => lost('timeout'))]);
    }
    case 'duplicated':
      return withoutRefusal(await deliver(), await deliver());
    case 'refused_at_the_door':
      return request.path.startsWith('/v2/')
        ? answer(400, '{"success":false,"error":{"code":"INVALID_PHONE_NUMBER","message":"no","statusCode":400}}')
        : answer(403, '{"message":"no","statusCode":403,"code":30}');
    case 'error_500_before':
      return answer(500, '{"success":false,"error":{"code":"INTERNAL","message":"oops","statusCode":500}}');
    case 'error_500_after':
      await deliver();
      return answer(500, 'oops');
    case 'error_503':
      return answer(503, '<html>down for maintenance</html>');
    case 'throttled':
      await clock.sleep(random.between(5, 400));
      return answer(429, '{"success":false,"error":{"code":"RATE_LIMITED","message":"wait","statusCode":429}}', {
        'retry-after': String(random.between(1, 60)),
      });
    case 'garbage':
      await deliver();
      return answer(200, '<html>welcome to the airport wifi</html>');
    case 'cut': {
      const whole = await deliver();
      return whole.kind === 'answer'
        ? { ...whole, text: whole.text.slice(0, random.between(0, Math.max(0, whole.text.length - 1))) }
        : whole;
    }
    case 'list_lags':
      return request.path.startsWith('/v2/')
        ? answer(
            200,
            '{"success":true,"data":[],"meta":{"request_id":"lag","timestamp":"2026-11-20T00:00:00.000Z","pagination":{"page":1,"per_page":100,"total":0,"total_pages":0,"has_next":false,"has_prev":false}}}',
          )
        : answer(404, '{"message":"No transactions found","statusCode":404}');
  }
}
