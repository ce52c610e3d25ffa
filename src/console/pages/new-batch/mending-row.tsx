// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part, and its rows cannot be placed
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active cell
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the focus, and its keys do the same
import { useEffect, useRef } from 'react';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import type { DraftColumn, DraftRow } from './draft-queries.ts';

interface MendingRowProps {
  id: string;
  index: number;
  start: number;
  columns: readonly DraftColumn[];
  row: DraftRow | undefined;
  /** The column of the active cell, if it is in this row. */
  activeColumn: number | null;
  typed: string | null;
  onType: (text: string) => void;
  onLeave: () => void;
  onPick: (column: number, isOpened: boolean) => void;
}

const marks: Readonly<Record<DraftRow['state'], string>> = {
  unchecked: '…',
  ready: '✓',
  held: '!',
  invalid: '✕',
  skipped: '–',
  excluded: '⊘',
};

export function MendingRow({ id, index, start, columns, row, activeColumn, typed, ...on }: MendingRowProps) {
  const wrong = new Set(row?.problems.map(({ column }) => column));
  const state = row?.state ?? 'unchecked';
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`grid-row is-${state}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="rowheader" className="end quiet">
        {row === undefined ? '…' : formatCount(row.line)}
      </div>
      <div role="gridcell" className={`mark mark-${state}`} title={t(`draft.state.${state}`)}>
        <span aria-hidden="true">{marks[state]}</span>
        <span className="hidden-text">{t(`draft.state.${state}`)}</span>
      </div>
      {columns.map(({ column }) => {
        const isActive = column === activeColumn;
        const look = [isActive ? 'active-cell' : '', wrong.has(column) ? 'wrong-cell' : ''].join(' ');
        return (
          <div
            key={column}
            id={`${id}-${column}`}
            role="gridcell"
            aria-colindex={column + 1}
            aria-invalid={wrong.has(column) || undefined}
            className={look}
            onClick={() => on.onPick(column, false)}
            onDoubleClick={() => on.onPick(column, true)}
          >
            {isActive && typed !== null ? (
              <CellInput label={columns[column]?.name ?? ''} text={typed} onType={on.onType} onLeave={on.onLeave} />
            ) : (
              (row?.cells[column] ?? '')
            )}
          </div>
        );
      })}
    </div>
  );
}

interface CellInputProps {
  label: string;
  text: string;
  onType: (text: string) => void;
  onLeave: () => void;
}

function CellInput({ label, text, onType, onLeave }: CellInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
    const end = input.current?.value.length ?? 0;
    input.current?.setSelectionRange(end, end);
  }, []);
  return (
    <input
      ref={input}
      className="cell-input"
      aria-label={label}
      value={text}
      onChange={({ target }) => onType(target.value)}
      onBlur={onLeave}
    />
  );
}
