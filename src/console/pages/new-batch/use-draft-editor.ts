import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { areChangesStopped, change, get } from '../../api/client.ts';
import { codeOf } from '../../api/problem.ts';
import { refresh } from '../../api/query-client.ts';
import { untilAnswered } from '../../api/until-answered.ts';
import type { Draft, DraftChange, DraftRow } from './draft-queries.ts';

/** How long after the last change the whole file is checked again (ms): a person who types is not in its way. */
const recheckMs = 1_200;
/** How often this page asks whether somebody else has changed the draft (ms). */
const othersMs = 5_000;

/** Changes of the draft, sent one after the other, each for the version that the previous one has made. */
export interface DraftEditor {
  edit: (edit: DraftChange) => Promise<DraftRow[]>;
  /** Returns the step that was moved; null if there was none. */
  move: (way: 'undo' | 'redo') => Promise<Draft['undo']>;
  canUndo: boolean;
  canRedo: boolean;
  isBusy: boolean;
  /** Whether the server does not answer: changes wait on this page until it does. */
  isWaiting: boolean;
  /** Whether something has changed since the last check of the whole file. */
  isUnchecked: boolean;
  error: unknown;
}

interface Moved {
  version: number;
  undo: Draft['undo'];
  redo: Draft['redo'];
}

export function useDraftEditor(draft: Draft): DraftEditor {
  const { draft_id: draftId } = draft;
  const client = useQueryClient();
  const seen = useRef(draft.version);
  const waiting = useRef<Promise<unknown>>(Promise.resolve());
  const [open, setOpen] = useState(0);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // Another person's change comes with the next read; our own is known before.
  seen.current = Math.max(seen.current, draft.version);
  const recheck = useRecheck(draftId);
  useOthersChanges(draft, { seen, isBusy: open > 0 }, recheck);
  useKeptInput(open > 0);

  const inTurn = async <Result extends Moved>(
    work: (version: number, key: string) => Promise<Result>,
    ms: number,
  ): Promise<Result> => {
    setOpen((count) => count + 1);
    const run = waiting.current.then(() => untilAnswered((key) => work(seen.current, key), setWaiting));
    waiting.current = run.catch(() => undefined);
    try {
      const done = await run;
      seen.current = Math.max(seen.current, done.version);
      client.setQueryData<Draft>(
        ['draft', draftId],
        (before) => before && { ...before, undo: done.undo, redo: done.redo, batch_id: null },
      );
      setError(null);
      recheck(ms);
      return done;
    } catch (failure) {
      setError(failure);
      if (codeOf(failure) === 'CHANGED_MEANWHILE') recheck(0);
      throw failure;
    } finally {
      setOpen((count) => count - 1);
    }
  };

  const path = { draft_id: draftId };
  return {
    edit: async (edit) => {
      // Two people may work on one draft: a cell is changed if it is still as this person saw it.
      const isOfCells = edit.cells !== undefined;
      const done = await inTurn(
        (version, key) => {
          const body = isOfCells ? edit : { ...edit, version };
          return change('/api/v1/drafts/{draft_id}/change', { path, body, key });
        },
        isOfCells ? recheckMs : 0,
      );
      return done.rows;
    },
    move: async (way) => {
      const route = way === 'undo' ? '/api/v1/drafts/{draft_id}/undo' : '/api/v1/drafts/{draft_id}/redo';
      return (await inTurn((version, key) => change(route, { path, body: { version }, key }), 0)).moved;
    },
    canUndo: draft.undo !== null,
    canRedo: draft.redo !== null,
    isBusy: open > 0,
    isWaiting,
    isUnchecked: seen.current > draft.version,
    error,
  };
}

/** Has the whole file checked again after a time; the last call counts. */
function useRecheck(draftId: string): (ms: number) => void {
  const client = useQueryClient();
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (ms: number) => {
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void client.invalidateQueries({ queryKey: ['draft', draftId] }), ms);
    },
    [client, draftId],
  );
}

/**
 * Reads the draft again when somebody else has changed it, and when the server answers again. `isBusy`: a change of
 * this page is under way, and the draft has its new version before the change has ended.
 */
function useOthersChanges(
  { draft_id: draftId, original_sha256 }: Draft,
  { seen, isBusy }: { seen: RefObject<number>; isBusy: boolean },
  recheck: (ms: number) => void,
): void {
  const client = useQueryClient();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['draft-version', draftId],
    queryFn: async () => {
      const { drafts } = await get('/api/v1/drafts', { query: { original_sha256 } });
      return drafts.find((one) => one.draft_id === draftId) ?? null;
    },
    refetchInterval: refresh(othersMs),
    enabled: !isBusy,
  });
  useEffect(() => {
    if (dataUpdatedAt === 0 || isBusy) return;
    const isOver = data?.status !== 'open';
    const hasFailed = client.getQueryState(['draft', draftId])?.status === 'error';
    if (isOver || hasFailed || (data?.version ?? 0) > seen.current) recheck(0);
  }, [client, draftId, data, dataUpdatedAt, isBusy, recheck, seen]);
}

/** The browser asks before it closes the page while some changes are not sent yet. */
function useKeptInput(hasInput: boolean): void {
  useEffect(() => {
    if (!hasInput) return;
    const keep = (event: BeforeUnloadEvent) => {
      if (!areChangesStopped()) event.preventDefault();
    };
    addEventListener('beforeunload', keep);
    return () => removeEventListener('beforeunload', keep);
  }, [hasInput]);
}
