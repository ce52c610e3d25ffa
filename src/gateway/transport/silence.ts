import type { Clock } from '../../core/time/clock.ts';
import type { Transport } from './transport.ts';

/** Notes since when the service has not answered. It may be slow, or this machine may have no connection to it. */
export function watchSilence(
  { send, close }: Transport,
  clock: Pick<Clock, 'monotonic'>,
): {
  transport: Transport;
  /** Monotonic ms; null if the service has answered, or was not asked since. */
  since(): number | null;
} {
  let since: number | null = null;
  return {
    transport: {
      send(request, read) {
        since ??= clock.monotonic();
        return send(request, (result) => {
          if (result.kind === 'answer' || result.status !== null) since = null;
          return read(result);
        });
      },
      close,
    },
    since: () => since,
  };
}
