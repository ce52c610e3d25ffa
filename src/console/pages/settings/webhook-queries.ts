import { useQuery } from '@tanstack/react-query';
import { type Answer, get } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';

export type Endpoint = Answer<'/api/v1/webhooks'>['endpoints'][number];
export type WebhookEvent = Endpoint['events'][number];
export type Delivery = Answer<'/api/v1/webhooks/{endpoint_id}/deliveries'>['deliveries'][number];

/** In the order in which a batch goes through them. */
export const webhookEvents = [
  'batch.received',
  'batch.awaiting_approval',
  'batch.approved',
  'batch.rejected',
  'batch.running',
  'batch.paused',
  'batch.completed',
  'batch.cancelled',
  'row.in_doubt',
  'row.held',
  'account.closed',
  'account.open',
  'report.published',
] as const satisfies readonly WebhookEvent[];

const key = ['webhooks'] as const;

/** What a change of an endpoint reads again: its deliveries, too. */
export const webhookReads = [key];

export function useEndpoints() {
  return useQuery({
    queryKey: key,
    queryFn: () => get('/api/v1/webhooks'),
    refetchInterval: refresh(),
  });
}
