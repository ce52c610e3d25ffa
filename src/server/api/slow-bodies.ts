import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { callLater } from '../../core/time/clock.ts';

/** At least so many bytes of a body must arrive in each such time. */
export interface BodyPace {
  everyMs: number;
  bytesMin: number;
}

/**
 * A kilobyte a second. A slow connection can upload a file of any size at this pace. An attacker who holds many
 * connections open must send as much on each of them.
 */
const usualPace: BodyPace = { everyMs: 30_000, bytesMin: 30_000 };

/**
 * Cuts the connection of any request whose body arrives more slowly. Node's own limit for a whole request would be the
 * same for a small body and for a file of hours. Headers have Node's limit, a minute.
 */
export function cutSlowBodies(app: FastifyInstance, pace: BodyPace = usualPace): void {
  app.addHook('onRequest', async ({ raw }) => {
    const { headers } = raw;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) watch(raw, pace);
  });
}

function watch(request: IncomingMessage, { everyMs, bytesMin }: BodyPace): void {
  const { socket } = request;
  let seen = socket.bytesRead;
  const look = () => {
    // A request of a test that is injected has no such field: it is complete.
    if (request.complete !== false) return;
    if (socket.bytesRead - seen < bytesMin) {
      socket.destroy();
      return;
    }
    seen = socket.bytesRead;
    cancel = callLater(everyMs, look);
  };
  let cancel = callLater(everyMs, look);
  request.once('close', () => cancel());
}
