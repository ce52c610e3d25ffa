import type { BalanceOutcome } from '../gateway/gateway.ts';
import type { RunnerContext } from './context.ts';
import { waitAsTold } from './told-to-wait.ts';

/** Asks for the account's balance under its limit. After a 429 nothing is asked again before the service lets it. */
export async function askBalance(context: RunnerContext): Promise<BalanceOutcome> {
  const outcome = await context.limiter.admit('balance', () => context.gateway.balance());
  if (outcome.kind === 'throttled') await waitAsTold(context, 'balance', outcome);
  return outcome;
}
