import type { Agent } from 'undici';
import type { Post } from './deliveries.ts';

/** Sends webhooks over HTTP; `close` ends them. */
export function makeHttpPost(): { post: Post; close(): Promise<void> } {
  let agent: Agent | null = null;
  return {
    async post({ url, headers, body, deadlineMs }) {
      // Loaded with the first webhook: most sandboxes send none.
      const { Agent, request } = await import('undici');
      agent ??= new Agent({ connect: { timeout: 5_000 } });
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
    close: async () => agent?.destroy(),
  };
}
