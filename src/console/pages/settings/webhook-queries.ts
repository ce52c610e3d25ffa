import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, answered, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { toast } from '../../base/toast.tsx';

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

export function useEndpoints() {
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: () => answered(api.GET('/api/v1/webhooks')),
    refetchInterval: refresh(),
  });
}

/** Changes something about webhooks; `done`: the message after it. */
export function useWebhookAction<Input, Result>(
  work: (input: Input) => Promise<Result>,
  { done, onDone }: { done: string | null; onDone?: (result: Result) => void },
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: (result) => {
      if (done !== null) toast(done);
      onDone?.(result);
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}
