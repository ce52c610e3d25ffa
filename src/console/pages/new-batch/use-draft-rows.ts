import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { change, get } from '../../api/client.ts';
import { usePagesInView } from '../../api/pages-in-view.ts';
import type { DraftRow, DraftRowPage } from './draft-queries.ts';

const pageRows = 100;

/** Which rows the grid shows. */
export interface RowFilter {
  state: DraftRow['state'] | null;
  code: DraftRow['problems'][number]['code'] | null;
  column: number | null;
  text: string;
}

export const allRows: RowFilter = { state: null, code: null, column: null, text: '' };

export interface DraftRows {
  count: number;
  rowAt: (index: number) => DraftRow | undefined;
  onShow: (first: number, last: number) => void;
  /** Shows a changed row at once. */
  put: (rows: readonly DraftRow[]) => void;
  /** Shows changed cells before the server has checked them. */
  putCells: (cells: readonly { row: number; column: number; value: string }[]) => void;
  /** Reads the rows in view again. */
  reread: () => void;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
}

function readPage(draftId: string, { state, code, column, text }: RowFilter, page: number): Promise<DraftRowPage> {
  const wanted = {
    ...(state === null ? {} : { state }),
    ...(code === null ? {} : { code }),
    ...(code === null || column === null ? {} : { column }),
  };
  // Without a filter the numbers of rows have no gap; else the server counts them off.
  const isAll = Object.keys(wanted).length === 0 && text === '';
  const query = { ...wanted, ...(isAll ? { after: page * pageRows } : { skip: page * pageRows }), limit: pageRows };
  const path = { draft_id: draftId };
  return text === ''
    ? get('/api/v1/drafts/{draft_id}/rows', { path, query })
    : change('/api/v1/drafts/{draft_id}/rows/search', { path, body: { ...query, text } });
}

/**
 * Loads the pages of rows in view. `version`: that of the last check, which may have changed every row.
 */
export function useDraftRows(draftId: string, filter: RowFilter, version: number): DraftRows {
  const client = useQueryClient();
  const { pages, onShow } = usePagesInView(pageRows);
  const keyOf = (page: number) => ['draft-rows', draftId, filter, page];
  const shownCount = useRef(0);
  useEffect(() => {
    // The rows of the previous version stay in view until the new ones have arrived.
    if (version > 0) void client.invalidateQueries({ queryKey: ['draft-rows', draftId] });
  }, [client, draftId, version]);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      queryFn: () => readPage(draftId, filter, page),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const dataOf = (page: number) => client.getQueryData<DraftRowPage>(keyOf(page));
  const replace = (changed: (row: DraftRow) => DraftRow) => {
    for (const page of pages)
      client.setQueryData<DraftRowPage>(
        keyOf(page),
        (before) => before && { ...before, rows: before.rows.map(changed) },
      );
  };
  const failed = results.find(({ error }) => error !== null);
  const known = results.find(({ data }) => data !== undefined)?.data;
  // While a filter is applied, the grid keeps its size and its focus.
  shownCount.current = known?.total ?? shownCount.current;
  return {
    count: shownCount.current,
    rowAt: (index) => dataOf(Math.floor(index / pageRows))?.rows[index % pageRows],
    onShow,
    put: (rows) => {
      const changed = new Map(rows.map((row) => [row.row, row]));
      replace((row) => changed.get(row.row) ?? row);
    },
    putCells: (cells) => replace((row) => withCells(row, cells)),
    reread: () => void client.invalidateQueries({ queryKey: ['draft-rows', draftId] }),
    isLoading: known === undefined && failed === undefined && shownCount.current === 0,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** The row with other cells: what the check says of them is not known yet. */
function withCells(row: DraftRow, changed: readonly { row: number; column: number; value: string }[]): DraftRow {
  const own = changed.filter((one) => one.row === row.row);
  if (own.length === 0) return row;
  const cells = [...row.cells];
  for (const { column, value } of own) {
    while (cells.length < column) cells.push('');
    cells[column] = value;
  }
  return { ...row, cells, state: 'unchecked', problems: [] };
}
