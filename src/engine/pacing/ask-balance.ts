import type { BalanceOutcome } from '../../gateway/contract/gateway.ts';
import type { RunnerContext } from '../runner/context.ts';
import { noteThrottled } from './throttling.ts';

/** Asks for the account's balance under its limit. After a 429 nothing is asked again before the service lets it. */
export async function askBalance(context: RunnerContext): Promise<BalanceOutcome> {
  const outcome = await context.limiter.admit('balance', () => context.gateway.balance());
  if (outcome.kind === 'throttled') await noteThrottled(context, 'balance', outcome);
  return outcome;
}
