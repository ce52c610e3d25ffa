import { useQuery } from '@tanstack/react-query';
import { type Answer, type BodyOf, change, get, type ResultOf } from '../../api/client.ts';

export type Draft = Answer<'/api/v1/drafts/{draft_id}'>;
export type DraftColumn = Draft['columns'][number];
export type ProblemGroup = Draft['groups'][number];
export type DraftRowPage = Answer<'/api/v1/drafts/{draft_id}/rows'>;
export type DraftRow = DraftRowPage['rows'][number];
export type DraftPlan = ResultOf<'/api/v1/drafts/{draft_id}/plan'>;
export type DraftChange = Omit<BodyOf<'/api/v1/drafts/{draft_id}/change'>['body'], 'version'>;
export type GroupFix = NonNullable<DraftChange['fix']>;
export type Preview = ResultOf<'/api/v1/drafts/{draft_id}/fix'>;

export function useDraft(draftId: string) {
  return useQuery({
    queryKey: ['draft', draftId],
    queryFn: () => get('/api/v1/drafts/{draft_id}', { path: { draft_id: draftId } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function previewOf(draftId: string, fix: GroupFix): Promise<Preview> {
  return change('/api/v1/drafts/{draft_id}/fix', { path: { draft_id: draftId }, body: fix });
}
