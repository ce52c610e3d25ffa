import { useQuery } from '@tanstack/react-query';
import { type Answer, answeredWithTag, api } from '../../api/client.ts';

export type Review = Answer<'/api/v1/batches/{batch_id}/review'> & { etag: string };
export type ReviewedRow = Review['review']['largest'][number];

/** The data that an approver decides on. They are not read again meanwhile: the approver approves what they see. */
export function useReview(batchId: string) {
  return useQuery({
    queryKey: ['review', batchId],
    queryFn: () =>
      answeredWithTag(api.GET('/api/v1/batches/{batch_id}/review', { params: { path: { batch_id: batchId } } })),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
}
