import type { BalanceOutcome, Gateway } from '../../gateway/contract/gateway.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import type { GateKeeper } from './gate-keeper.ts';

/** The parts with which a runner asks the service. */
export interface Asking {
  limiter: Pick<Limiter, 'admit'>;
  gateway: Pick<Gateway, 'balance'>;
  gate: Pick<GateKeeper, 'throttled'>;
}

/** Asks for the account's balance within its rate limit. A 429 makes the account wait. */
export async function askBalance({ limiter, gateway, gate }: Asking): Promise<BalanceOutcome> {
  const outcome = await limiter.admit('balance', () => gateway.balance());
  if (outcome.kind === 'throttled') await gate.throttled('balance', outcome);
  return outcome;
}
