import { connect } from 'node:net';
import type { Clock } from '../core/time/clock.ts';

export interface ReachDeps {
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Since when the service answers an account nothing (monotonic ms); null if it answers, or is not asked. */
  silentSince: (account: string) => number | null;
  /** Called when a service turns out to be unreachable from here, and when it can be reached again. */
  onChange: (service: string, isCutOff: boolean) => void;
  /** Whether a connection to the service can be made. Default: tries it, and sends nothing. */
  connects?: (service: string) => Promise<boolean>;
}

/** Knows which services this machine cannot reach. */
export interface Reach {
  /** Whether this machine cannot reach the service of the account. */
  isCutOff(account: string): boolean;
  stop(): void;
}

const lookMs = 1_000;
/** A service that answers nothing for so long may just be slow: whether a connection can be made decides. */
const silentMsMin = 3_000;
/** A single connection may be lost by chance. */
const failuresMax = 2;
/** Time enough for a second try: TCP repeats its first packet after a second. */
const connectMsMax = 1_500;

/**
 * Watches services from now on: those that answer nothing are tried by opening a connection. `services`: the origin of
 * the service of each account.
 */
export function watchReach(
  { clock, silentSince, onChange, connects = canConnect }: ReachDeps,
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
      failures = !isTried || (await connects(service)) ? 0 : failures + 1;
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

function canConnect(service: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(service);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), timeout: connectMsMax });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.once('timeout', () => resolve(false));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
