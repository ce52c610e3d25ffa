import { Agent, request } from 'undici';
import type { Post } from './deliveries.ts';

/** Sends webhooks over HTTP; `close` ends them. */
export function makeHttpPost(): { post: Post; close(): Promise<void> } {
  const agent = new Agent({ connect: { timeout: 5_000 } });
  return {
    async post({ url, headers, body, deadlineMs }) {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(deadlineMs),
      });
      await answer.body.dump();
      return answer.statusCode;
    },
    close: () => agent.destroy(),
  };
}
