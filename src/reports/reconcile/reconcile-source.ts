import { unreachable } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type {
  Evidence,
  Gateway,
  ReadProblem,
  ServicePayment,
  UnreadableEntry,
} from '../../gateway/contract/gateway.ts';
import { makeListReader } from '../../gateway/contract/list-pages.ts';
import type { StoredBalance } from '../summary/stored.ts';

/** How a reconciliation asks the service, each request within the account's rate limit. */
export interface ReconcileDeps {
  gateway: Pick<Gateway, 'list' | 'lookup' | 'read' | 'balance'>;
  /** Runs `ask` when the limiter allows one more read (limiter/limiter.ts). */
  admit: <Answer extends { kind: string }>(ask: () => Promise<Answer>) => Promise<Answer>;
  /** The service throttles the account for `saidMs`. Sends nothing for the account meanwhile, and informs the user. */
  noteThrottled: (saidMs: number) => Promise<void>;
  /** Makes the error to throw if the service refuses the account's credentials. */
  refused: (evidence: Evidence) => Error;
  /** Called when a request gets no answer. It is repeated for a minute, without further calls. */
  unanswered: (evidence: Evidence) => void;
  clock: Clock;
}

/** How often an unanswered read is repeated, and the first delay, which doubles. */
const triesMax = 6;
const retryMs = 1_000;

/** A page of the account's payments, with the malformed entries on it, which may be payments, too. */
export interface ListedPage {
  payments: ServicePayment[];
  unreadable: UnreadableEntry[];
}

/** The account's payments at the service, the oldest first, page by page. Yields nothing for V1, which has no list. */
export async function* listedPages(
  deps: ReconcileDeps,
  between: { fromMs: number; toMs: number },
): AsyncGenerator<ListedPage> {
  const { list } = deps.gateway;
  if (list === null) return;
  const readOn = makeListReader(list, between);
  for (;;) {
    const page = await insist(deps, readOn);
    yield page;
    if (page.isLast) return;
  }
}

/** All payments that the service has under one reference. */
export async function lookedUp(deps: ReconcileDeps, reference: string): Promise<ServicePayment[]> {
  const answer = await insist(deps, () => deps.gateway.lookup(reference));
  return answer.kind === 'found' ? answer.payments : [];
}

/** One payment in full; null if the service does not have it. */
export async function paymentNow(
  deps: ReconcileDeps,
  payment: { topupId: string; reference: string },
): Promise<ServicePayment | null> {
  const answer = await insist(deps, () => deps.gateway.read(payment));
  return answer.kind === 'found' ? (answer.payments[0] ?? null) : null;
}

export async function balanceNow(deps: ReconcileDeps): Promise<StoredBalance> {
  return (await insist(deps, () => deps.gateway.balance())).balance;
}

/** Asks until there is an answer. Rejects if the service cannot be reached or refuses the credentials. */
async function insist<Answer extends { kind: string }>(
  deps: ReconcileDeps,
  ask: () => Promise<Answer | ReadProblem>,
): Promise<Exclude<Answer, ReadProblem>> {
  for (let failures = 0; ; ) {
    const answer = await deps.admit(ask);
    if (!isProblem(answer)) return answer as Exclude<Answer, ReadProblem>;
    switch (answer.kind) {
      case 'throttled':
        await deps.noteThrottled(answer.retryAfterMs);
        break;
      case 'account_blocked':
        throw deps.refused(answer.evidence);
      case 'unavailable':
        failures += 1;
        if (failures === 1) deps.unanswered(answer.evidence);
        if (failures === triesMax) {
          throw new AirbatchError('SERVICE_UNREACHABLE', `the service gives no answer: ${answer.evidence.message}`, {
            hint: 'Check the network and the base URL, then reconcile again.',
          });
        }
        await deps.clock.sleep(retryMs * 2 ** failures);
        break;
      default:
        unreachable(answer);
    }
  }
}

function isProblem(answer: { kind: string }): answer is ReadProblem {
  return answer.kind === 'throttled' || answer.kind === 'account_blocked' || answer.kind === 'unavailable';
}
