import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../core/time/clock.ts';

export interface ReachDeps {
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Since when the service answers an account nothing (monotonic ms); null if it answers, or is not asked. */
  silentSince: (account: string) => number | null;
  /** Called when a service turns out to be unreachable from here, and when it can be reached again. */
  onChange: (service: string, isCutOff: boolean) => void;
  /** Whether the service answers anything at all. Default: asks for its headers, without a key. */
  answers?: (service: string) => Promise<boolean>;
}

/** Knows which services this machine cannot reach. */
export interface Reach {
  /** Whether this machine cannot reach the service of the account. */
  isCutOff(account: string): boolean;
  stop(): void;
}

const lookMs = 1_000;
/** A service that has answered no payment for this time may be slow: airbatch asks whether it answers anything. */
const silentMsMin = 3_000;
/** A single connection may be lost by chance. */
const failuresMax = 2;
/** Time enough for a second try: TCP repeats its first packet after a second. */
const answerMsMax = 1_500;

/**
 * Watches services from now on: those that answer nothing are asked for something that no payment depends on. A proxy
 * may accept connections to a service that it does not reach. `services`: the origin of the service of each account.
 */
export function watchReach(
  { clock, silentSince, onChange, answers = answersAnything }: ReachDeps,
  services: ReadonlyMap<string, string>,
): Reach {
  const stopping = new AbortController();
  const cutOff = new Set<string>();
  const watch = async (service: string, accounts: readonly string[]) => {
    const isSilent = () =>
      accounts.some((account) => {
        const since = silentSince(account);
        return since !== null && clock.monotonic() - since >= silentMsMin;
      });
    for (let failures = 0; !stopping.signal.aborted; ) {
      const isTried = cutOff.has(service) || isSilent();
      failures = !isTried || (await answers(service)) ? 0 : failures + 1;
      const isCutOff = failures >= failuresMax;
      if (isCutOff !== cutOff.has(service)) {
        if (isCutOff) cutOff.add(service);
        else cutOff.delete(service);
        onChange(service, isCutOff);
      }
      // A service that is only slow is not tried every second.
      await clock.sleep(isTried && failures === 0 ? silentMsMin : lookMs, stopping.signal);
    }
  };
  for (const [service, accounts] of Map.groupBy(services.keys(), (account) => services.get(account) ?? ''))
    void watch(service, accounts);
  return { isCutOff: (account) => cutOff.has(services.get(account) ?? ''), stop: () => stopping.abort() };
}

/** Whatever HTTP status it is, something at that address has read the request. */
function answersAnything(service: string): Promise<boolean> {
  const { request } = service.startsWith('https:') ? https : http;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asked = request(service, { method: 'HEAD', agent: false, timeout: answerMsMax });
  asked.once('response', () => resolve(true));
  asked.once('timeout', () => resolve(false));
  asked.on('error', () => resolve(false));
  asked.end();
  return promise.finally(() => asked.destroy());
}
