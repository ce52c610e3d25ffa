import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { answered, api, change, send } from '../../api/client.ts';
import { ApiProblem, codeOf, problemOf } from '../../api/problem.ts';
import type { paths } from '../../api/schema.ts';

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
type Done<Path extends keyof paths> = paths[Path] extends {
  post: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
type Asked<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody?: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

export type Draft = Answer<'/api/v1/drafts/{draft_id}'>;
export type DraftColumn = Draft['columns'][number];
export type ProblemGroup = Draft['groups'][number];
export type DraftSummary = Answer<'/api/v1/drafts'>['drafts'][number];
export type DraftRowPage = Answer<'/api/v1/drafts/{draft_id}/rows'>;
export type DraftRow = DraftRowPage['rows'][number];
export type DraftPlan = Done<'/api/v1/drafts/{draft_id}/plan'>;
export type DraftChange = Omit<Asked<'/api/v1/drafts/{draft_id}/change'>, 'version'>;
export type GroupFix = NonNullable<DraftChange['fix']>;
export type Preview = Answer<'/api/v1/drafts/{draft_id}/fix'>;

/** How long after the last change the whole file is checked again (ms), so that typing does not wait for it. */
const recheckMs = 1_200;

export function useDraft(draftId: string) {
  return useQuery({
    queryKey: ['draft', draftId],
    queryFn: () => answered(api.GET('/api/v1/drafts/{draft_id}', { params: { path: { draft_id: draftId } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Sends a file as the body of a request; `key` stays the same when it is sent again. */
export async function uploadFile(file: File, account: string | null, key: string): Promise<DraftSummary> {
  const query = account === null ? '' : `?account=${encodeURIComponent(account)}`;
  const request = new Request(new URL(`/api/v1/drafts${query}`, location.origin), {
    method: 'POST',
    body: file,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      'idempotency-key': key,
    },
  });
  const response = await send(request);
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return (await response.json()) as DraftSummary;
}

export function previewOf(draftId: string, fix: GroupFix): Promise<Preview> {
  const { column, ...rest } = fix;
  const query = { ...rest, ...(column === null ? {} : { column }) } as never;
  return answered(api.GET('/api/v1/drafts/{draft_id}/fix', { params: { path: { draft_id: draftId }, query } }));
}

/** Changes of the draft, sent one after the other, each for the version that the previous one has made. */
export interface DraftEditor {
  edit: (edit: DraftChange) => Promise<DraftRow[]>;
  move: (way: 'undo' | 'redo') => Promise<void>;
  canUndo: boolean;
  canRedo: boolean;
  isBusy: boolean;
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
  const timer = useRef(0);
  const [open, setOpen] = useState(0);
  const [error, setError] = useState<unknown>(null);
  // Another person's change comes with the next read; our own is known before.
  seen.current = Math.max(seen.current, draft.version);
  useEffect(() => () => clearTimeout(timer.current), []);

  const recheck = useCallback(
    (ms: number) => {
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void client.invalidateQueries({ queryKey: ['draft', draftId] }), ms);
    },
    [client, draftId],
  );

  const inTurn = useCallback(
    async <Result extends Moved>(work: (version: number) => Promise<Result>, ms: number): Promise<Result> => {
      setOpen((count) => count + 1);
      const run = waiting.current.then(() => work(seen.current));
      waiting.current = run.catch(() => undefined);
      try {
        const done = await run;
        seen.current = done.version;
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
    },
    [client, draftId, recheck],
  );

  const path = { draft_id: draftId };
  return {
    edit: async (edit) => {
      const isSmall = edit.cells !== undefined;
      const done = await inTurn(
        (version) => change('/api/v1/drafts/{draft_id}/change', { path, body: { ...edit, version } }),
        isSmall ? recheckMs : 0,
      );
      return done.rows;
    },
    move: async (way) => {
      const route = way === 'undo' ? '/api/v1/drafts/{draft_id}/undo' : '/api/v1/drafts/{draft_id}/redo';
      await inTurn((version) => change(route, { path, body: { version } }), 0);
    },
    canUndo: draft.undo !== null,
    canRedo: draft.redo !== null,
    isBusy: open > 0,
    isUnchecked: seen.current > draft.version,
    error,
  };
}
