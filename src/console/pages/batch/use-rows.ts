import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { change, get } from '../../api/client.ts';
import { usePagesInView } from '../../api/pages-in-view.ts';
import { usePages } from '../../api/query-client.ts';
import type { RowState } from '../../base/states.ts';
import type { Row, RowPage } from './batch-queries.ts';

const pageRows = 200;

export interface RowFilter {
  state: RowState | 'all';
  find: string;
}

/** The rows for a grid: those in view are loaded, and those around them. */
export interface GridRows {
  count: number;
  rowAt: (index: number) => Row | undefined;
  onShow: (first: number, last: number) => void;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
}

function readRows(batchId: string, after: number, { state, find }: RowFilter): Promise<RowPage> {
  const query = { after, limit: pageRows, ...(state === 'all' ? {} : { status: [state] }) };
  const path = { batch_id: batchId };
  return find === ''
    ? get('/api/v1/batches/{batch_id}/rows', { path, query })
    : change('/api/v1/batches/{batch_id}/rows/search', { path, body: { ...query, find } });
}

const everything: RowFilter = { state: 'all', find: '' };

/** All rows of a batch. Their numbers have no gap, so any part of a long file is read at once. */
export function useAllRows(batchId: string, count: number, isAsked: boolean): GridRows {
  const { pages, onShow } = usePagesInView(pageRows);
  const client = useQueryClient();
  const keyOf = (page: number) => ['batch', batchId, 'rows', page];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      queryFn: () => readRows(batchId, page * pageRows, everything),
      enabled: isAsked,
    })),
  });
  const rowAt = (index: number) =>
    client.getQueryData<RowPage>(keyOf(Math.floor(index / pageRows)))?.rows[index % pageRows];
  // Once there are rows, the grid keeps its place while others load. Reading `data` draws the loaded ones.
  const loaded = results.filter(({ data }) => data !== undefined);
  const isAnyLoaded = loaded.length > 0 || client.getQueryData(keyOf(0)) !== undefined;
  const failed = results.find(({ error }) => error !== null);
  return {
    ...{ count, rowAt, onShow },
    isLoading: isAsked && !isAnyLoaded,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** The rows that match a filter, page after page. */
export function useFilteredRows(batchId: string, filter: RowFilter, isAsked: boolean): GridRows {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPending } = usePages(
    ['batch', batchId, 'filtered-rows', filter],
    0,
    (after) => readRows(batchId, after, filter),
    { enabled: isAsked },
  );
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const loaded = rows.length;
  const onShow = useCallback(
    (_first: number, last: number) => {
      if (hasNextPage && !isFetchingNextPage && last >= loaded - 1) void fetchNextPage();
    },
    [hasNextPage, isFetchingNextPage, fetchNextPage, loaded],
  );
  return {
    count: loaded + (hasNextPage ? 1 : 0),
    rowAt: (index) => rows[index],
    onShow,
    isLoading: isAsked && isPending,
    error,
    retry: () => void refetch(),
  };
}
