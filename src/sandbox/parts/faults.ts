import { z } from 'zod';
import type { SandboxRandom } from './random.ts';

/** The faults of a request, with their probability, from 0 (never) to 1 (always). */
export const requestFaults = {
  request_lost: 'the connection is cut before anything is read',
  error_500_before: '500, nothing was done',
  error_503: '503, nothing was done',
  rate_limited: '429 with a Retry-After of one second, though the limit was not reached',
  response_lost: 'everything is done, and the connection is cut before the answer',
  error_500_after: 'everything is done, and the answer is 500',
  malformed: 'everything is done, and the answer is 200 with a page of HTML',
  cut_body: 'everything is done, and the answer stops in the middle',
  duplicated: 'the request arrives twice, as a network may deliver it; the second answer is given',
  slow: 'everything is done, and the answer comes after `slowMs`',
} as const;
export type RequestFault = keyof typeof requestFaults;

/** The faults of one delivery of a webhook. */
export const webhookFaults = {
  webhook_lost: 'it is never sent, and counts as delivered',
  webhook_doubled: 'it is sent twice',
  webhook_late: 'it is sent `webhookLateMs` late, so that later ones overtake it',
  webhook_forged: 'a forged one comes first, which says the contrary under a wrong signature',
} as const;
export type WebhookFault = keyof typeof webhookFaults;

const share = z.number().min(0).max(1).optional();
const shares = Object.fromEntries(
  [...Object.keys(requestFaults), ...Object.keys(webhookFaults)].map((name) => [name, share]),
);

/** The content of the file for `--faults`. */
export const faultMixShape = z.strictObject({
  seed: z.number().int().nonnegative().optional(),
  slowMs: z.number().int().positive().default(5_000),
  webhookLateMs: z.number().int().positive().default(60_000),
  mix: z.strictObject(shares as Record<RequestFault | WebhookFault, typeof share>),
});
export type FaultMix = z.input<typeof faultMixShape>;

export interface Faults {
  /** The fault of this request, or none. */
  ofRequest(): RequestFault | null;
  ofWebhook(fault: WebhookFault): boolean;
  slowMs: number;
  webhookLateMs: number;
}

export function makeFaults(given: FaultMix | undefined, random: SandboxRandom): Faults {
  const { mix, slowMs, webhookLateMs } = faultMixShape.parse(given ?? { mix: {} });
  const names = (Object.keys(requestFaults) as RequestFault[]).filter((name) => (mix[name] ?? 0) > 0);
  return {
    ofRequest() {
      for (const name of names) if (random.fraction() < (mix[name] ?? 0)) return name;
      return null;
    },
    ofWebhook: (name) => (mix[name] ?? 0) > 0 && random.fraction() < (mix[name] ?? 0),
    slowMs,
    webhookLateMs,
  };
}
