import type { Gateway } from '../../src/gateway/contract/gateway.ts';
import { makeGateway } from '../../src/gateway/make-gateway.ts';
import { makeSandbox } from '../../src/sandbox/index.ts';
import type { Lifetime } from './folder.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The client of a sandbox in this process, on a virtual clock and without a network. */
export async function sandboxGateway(
  lifetime: Lifetime,
  clock: VirtualClock,
  version: 'v2' | 'v1',
  rate = 60_000,
): Promise<Gateway> {
  const after = (ms: number, run: () => void) => {
    const cancel = new AbortController();
    void clock.sleep(ms, cancel.signal).then(() => {
      if (!cancel.signal.aborted) run();
    });
    return () => cancel.abort();
  };
  const sandbox = await makeSandbox({ clock: { now: clock.now, after }, seed: 1, rate, settleMs: 2_000 });
  lifetime.after(() => sandbox.close());
  const credentials =
    version === 'v2' ? { apiKey: 'sandbox-key' } : { email: 'sandbox@airbatch.test', token: 'sandbox-token' };
  return makeGateway(
    { version, baseUrl: 'http://127.0.0.1:1', credentials },
    {
      clock,
      onRate: () => undefined,
      transport: {
        close: async () => undefined,
        async send({ method, path, headers, body, beforeWrite }, read) {
          beforeWrite?.();
          const {
            status,
            headers: answered,
            body: text,
          } = await clock.during(
            sandbox.handle({ method, path, headers: { ...headers }, ...(body === null ? {} : { body }) }),
          );
          return read({ kind: 'answer', status, headers: answered, text });
        },
      },
    },
  );
}
