import { AirbatchError } from '../../core/basics/errors.ts';
import type { Product, ReadProblem, RequestClass } from '../../gateway/contract/gateway.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import { durationText } from '../../reports/sentences/format.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { credentialsRefused } from '../../runtime/accounts/credentials-refused.ts';
import { askOnce } from '../../runtime/accounts/throttled-requests.ts';
import type { Session } from '../../runtime/session/session.ts';

/** Asks the service, as `askOnce` does. If a read gets no answer, throws an error that says why. */
export async function ask<Answer extends { kind: string }>(
  session: Session,
  account: OpenAccount,
  requestClass: RequestClass,
  read: () => Promise<Answer | ReadProblem>,
): Promise<Exclude<Answer, ReadProblem>> {
  const outcome = await askOnce(account, session, requestClass, read);
  if (outcome.kind === 'throttled' || outcome.kind === 'account_blocked' || outcome.kind === 'unavailable') {
    const problem = outcome as ReadProblem;
    const { evidence } = problem;
    const said = `${evidence.code}, ${evidence.message}`;
    // The hint does not mention `resume`: the person repeats their own command.
    throw problem.kind === 'account_blocked'
      ? credentialsRefused(account, evidence, 'try again', requestClass === 'balance' ? 'wallets.read' : null)
      : problem.kind === 'throttled'
        ? new AirbatchError(
            'SERVICE_UNREACHABLE',
            `the service throttles account "${account.name}"${evidence.httpStatus === null ? '' : `: ${said}`}`,
            {
              hint: `The service makes the account wait ${durationText(problem.retryAfterMs)}: try again after that.`,
            },
          )
        : new AirbatchError('SERVICE_UNREACHABLE', `account "${account.name}": ${unusableText(evidence)}: ${said}`, {
            hint: 'Check the network and the base URL, then try again.',
          });
  }
  return outcome as Exclude<Answer, ReadProblem>;
}

/**
 * The products of one network, or of all. Version 1 lists them only by network, so each network is asked in turn, at
 * the pace of the rate limit. `onWait` gets the expected duration.
 */
export async function askProducts(
  session: Session,
  account: OpenAccount,
  networkId: number | undefined,
  onWait: (networks: number, ms: number) => void,
): Promise<Product[]> {
  const ofNetwork = (id: number) => ask(session, account, 'catalog', () => account.gateway.products({ networkId: id }));
  if (networkId !== undefined) return (await ofNetwork(networkId)).items;
  if (account.gateway.version !== 'V1')
    return (await ask(session, account, 'catalog', () => account.gateway.products({}))).items;
  const networks = await ask(session, account, 'catalog', () => account.gateway.networks({}));
  const { limit, windowMs } = account.limiter.usage('catalog');
  onWait(networks.items.length, (networks.items.length * windowMs) / limit);
  const products: Product[] = [];
  for (const network of networks.items) products.push(...(await ofNetwork(network.networkId)).items);
  return products;
}
