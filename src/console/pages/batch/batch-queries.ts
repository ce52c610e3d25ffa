import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isAttended } from '../../api/attention.ts';
import { type Answer, answeredWithTag, api, get } from '../../api/client.ts';
import { useEvents } from '../../api/events.ts';
import { refresh } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { useChange } from '../../forms/use-change.ts';
import { ChangedByOthers, unlessChanged } from './unless-changed.ts';

export type BatchStatus = Answer<'/api/v1/batches/{batch_id}'> & { etag: string };
export type Progress = Answer<'/api/v1/batches/{batch_id}/progress'>['batches'][number];
export type RowPage = Answer<'/api/v1/batches/{batch_id}/rows'>;
export type Row = RowPage['rows'][number];
export type HeldRows = Answer<'/api/v1/batches/{batch_id}/held-rows'>;

/** How often a page redraws a batch while events arrive (ms): each row of a batch has several. */
const redrawMs = 1_500;

/** How often the pace of a batch that is being sent is requested (ms). */
const progressMs = 2_500;

const pathOf = (batchId: string) => ({ path: { batch_id: batchId } });

export function useBatch(batchId: string) {
  return useQuery({
    queryKey: ['batch', batchId, 'status'],
    queryFn: () => answeredWithTag(api.GET('/api/v1/batches/{batch_id}', { params: pathOf(batchId) })),
    refetchInterval: refresh(),
  });
}

/** How fast the batch is sent; null for one that is not being sent. `isOpen`: whether it may still be sent. */
export function useProgress(batchId: string, isOpen: boolean) {
  return useQuery({
    queryKey: ['batch', batchId, 'progress'],
    queryFn: async () => {
      const { batches } = await get('/api/v1/batches/{batch_id}/progress', pathOf(batchId));
      return batches[0] ?? null;
    },
    enabled: isOpen,
    refetchInterval: refresh(progressMs),
  });
}

/** The sum of the rows in doubt of a batch. In an outage there are many, so it is not read again at each change. */
export function useDoubtSums(batchId: string, isAsked: boolean) {
  const query = { batch_id: batchId, limit: 1 };
  return useQuery({
    queryKey: ['doubts', 'sums', batchId],
    queryFn: () => get('/api/v1/doubts', { query }),
    enabled: isAsked,
    refetchInterval: refresh(),
  });
}

export function useHeldRows(batchId: string, isAsked: boolean) {
  return useQuery({
    queryKey: ['batch', batchId, 'held'],
    queryFn: () => get('/api/v1/batches/{batch_id}/held-rows', pathOf(batchId)),
    enabled: isAsked,
  });
}

/** Reads the batch again when something happens to it. Returns whether the page is live. */
export function useLive(batchId: string): boolean {
  const queries = useQueryClient();
  const waiting = useRef<ReturnType<typeof setTimeout> | null>(null);
  const redraw = () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = null;
      if (isAttended()) void queries.invalidateQueries({ queryKey: ['batch', batchId] });
    }, redrawMs);
  };
  useEffect(
    () => () => {
      if (waiting.current !== null) clearTimeout(waiting.current);
    },
    [],
  );
  return useEvents(`/batches/${encodeURIComponent(batchId)}/events`, redraw);
}

/** A person's action on a batch. */
export function useAction<Result, Input = void>(
  batchId: string,
  run: (input: Input) => Promise<Result>,
  afterwards: { done: (result: Result) => string; onDone?: () => void },
) {
  return useChange(run, { reads: [['batch', batchId], ['batches'], ['doubts']], ...afterwards });
}

/**
 * The same for a change of what the batch is: it is refused if others have decided about the batch since the dialog was
 * opened. The person then sees their decisions (`GuardedDialog`), and may repeat the change.
 */
export function useGuardedAction<Result>(
  { batch_id: batchId, etag }: { batch_id: string; etag: string },
  run: (etag: string) => Promise<Result>,
  options: { done: (result: Result) => string; onDone?: () => void },
) {
  const { person } = useSession();
  const [seen, setSeen] = useState(etag);
  return useAction(
    batchId,
    async () => {
      try {
        return await unlessChanged({ batchId, etag: seen, person }, run);
      } catch (error) {
        if (error instanceof ChangedByOthers) setSeen(error.etag);
        throw error;
      }
    },
    options,
  );
}
