import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTallList } from '../../base/tall-list.ts';
import type { DraftColumn, DraftRow } from './draft-queries.ts';
import { type Action, actionOf, type Cell, movedTo } from './grid-keys.ts';
import type { DraftRows } from './use-draft-rows.ts';

export interface CellChange {
  row: number;
  column: number;
  value: string;
  /** What stood there. */
  before: string;
}

export interface MendingProps {
  columns: readonly DraftColumn[];
  rows: DraftRows;
  onEdit: (cells: CellChange[]) => void;
  /** Takes a row out of the file, or puts it back. */
  onRow: (row: number, inFile: boolean) => void;
  onMove: (way: 'undo' | 'redo') => void;
}

const rowsAround = 12;

export const cellText = (of: DraftRow | undefined, column: number) => of?.cells[column] ?? '';

/** The text that is being typed into the active cell; null if it is closed. */
function useTyped() {
  const [typed, setTypedText] = useState<string | null>(null);
  /** The same, without waiting for a render: an input that is removed loses the focus, and would be closed twice. */
  const open = useRef<string | null>(null);
  /** What stood in the cell when it was opened: somebody else may change it meanwhile. */
  const was = useRef('');
  const setTyped = (text: string | null, before?: string) => {
    open.current = text;
    if (before !== undefined) was.current = before;
    setTypedText(text);
  };
  return { typed, setTyped, open, was };
}

/** The rows in view, the active cell, and what keys and pasted cells do. */
export function useMending({ columns, rows, onEdit, onRow, onMove }: MendingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Cell>({ index: 0, column: 0 });
  const { typed, setTyped, open, was } = useTyped();
  const { count, rowAt, onShow } = rows;
  const { items, height, show, rowHeight, frameStyle } = useTallList({ frame, count, rowsAround });
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onShow(first, last), [first, last, onShow]);
  const row = rowAt(active.index);
  const go = (to: Cell) => {
    const cell = { index: within(to.index, count), column: within(to.column, columns.length) };
    setActive(cell);
    show(cell.index);
    if (frame.current) showAcross(frame.current, cell.column);
  };
  const put = (value: string, before: string) => {
    if (row !== undefined && value !== before) onEdit([{ row: row.row, column: active.column, value, before }]);
  };
  const close = (isKept: boolean) => {
    const text = open.current;
    if (text === null) return;
    setTyped(null);
    if (isKept) put(text, was.current);
    frame.current?.focus({ preventScroll: true });
  };
  const act = (action: Action) => {
    const now = cellText(row, active.column);
    if (action.kind === 'move') {
      const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2);
      close(true);
      go(movedTo(active, action.move, { page, count, columns: columns.length }));
    } else if (action.kind === 'undo' || action.kind === 'redo') onMove(action.kind);
    else if (action.kind === 'open') setTyped(action.text ?? now, now);
    else if (action.kind === 'clear') put('', now);
    else if (action.kind === 'cancel') close(false);
    else if (row !== undefined) onRow(row.row, row.state === 'excluded');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionOf(event, typed !== null);
    if (action === null) return;
    event.preventDefault();
    act(action);
  };
  const onPaste = (event: ClipboardEvent) => {
    if (typed !== null) return;
    event.preventDefault();
    const cells = pastedCells(event.clipboardData.getData('text/plain'), active, rowAt, columns.length);
    if (cells.length > 0) onEdit(cells);
  };
  const isSeen = active.index >= first && active.index <= last && count > 0;
  return {
    frame,
    frameStyle,
    items,
    height,
    row,
    isSeen,
    active,
    setActive,
    typed,
    setTyped,
    close,
    onKeyDown,
    onPaste,
  };
}

function within(place: number, count: number): number {
  return Math.min(Math.max(0, place), Math.max(0, count - 1));
}

/** The cells that a copied block fills, from the active one on. */
function pastedCells(text: string, from: Cell, rowAt: DraftRows['rowAt'], columns: number): CellChange[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.flatMap((line, below) => {
    const target = rowAt(from.index + below);
    const values = line.split('\t').slice(0, columns - from.column);
    return target === undefined
      ? []
      : values.map((value, right) => {
          const column = from.column + right;
          return { row: target.row, column, value, before: cellText(target, column) };
        });
  });
}

/** Scrolls sideways until the column is in view. */
function showAcross(frame: HTMLElement, column: number): void {
  const head = frame.querySelector<HTMLElement>(`[data-column="${column}"]`);
  if (head === null) return;
  const { offsetLeft: from, offsetWidth: width } = head;
  if (from < frame.scrollLeft) frame.scrollLeft = from;
  else if (from + width > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = from + width - frame.clientWidth;
}
