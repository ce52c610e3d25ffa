// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part, and its rows cannot be placed
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the focus, and its Enter does the same
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useTallList } from './tall-list.ts';
import '../styles/grid.css';

export interface GridColumn<Row> {
  id: string;
  label: string;
  /** The least width (px). */
  least: number;
  /** Its share of the room that is left; left out: none. */
  share?: number;
  isNumber?: boolean;
  /** Its content is never cut: the column becomes as wide as that. Always so for numbers. */
  isWhole?: boolean;
  /** If the columns do not fit, that with the greatest number is left out first; left out: never. */
  spare?: number;
  cell: (row: Row) => ReactNode;
}

interface GridProps<Row> {
  label: string;
  columns: readonly GridColumn<Row>[];
  /** How many rows there are, loaded or not. */
  count: number;
  /** Undefined for a row that is not loaded yet. */
  rowAt: (index: number) => Row | undefined;
  /** Called with the first and last row in view, so that the caller can load them. */
  onShow?: (first: number, last: number) => void;
  /** Enter or a click on a row. */
  onOpen?: (row: Row) => void;
}

const rowsAround = 12;

/**
 * Shows any number of rows and draws only those in view. Arrows, Page Up and Down, Home and End move; Enter opens.
 */
export function Grid<Row>({ label, columns: all, count, rowAt, onShow, onOpen }: GridProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const id = useId();
  const [active, setActive] = useState(0);
  const columns = useColumnsThatFit(frame, all);
  const { items, height, show, rowHeight, frameStyle } = useTallList({ frame, count, rowsAround });
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onShow?.(first, last), [first, last, onShow]);
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2);
    const to = placeAfter(event.key, { active, page, count });
    const row = rowAt(active);
    if (event.key === 'Enter' && row !== undefined) {
      // The same key must not press a button of the dialog that opens.
      event.preventDefault();
      onOpen?.(row);
    }
    if (to === undefined) return;
    event.preventDefault();
    setActive(to);
    show(to);
  };
  // A long text makes no column wider than its room.
  const template = { '--grid-columns': columns.map(trackOf).join(' '), minWidth: `${widthOf(columns)}px` };
  return (
    <div
      className="grid-frame"
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={active >= first && active <= last && count > 0 ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={frameStyle}
    >
      <div className="grid" style={template as Record<string, string>}>
        <div className="grid-row grid-head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column.id} role="columnheader" className={classOf(column)} data-column={column.id}>
              {column.label}
            </div>
          ))}
        </div>
        <div className="grid-body" style={{ height: height }}>
          {items.map(({ index, start }) => {
            const row = rowAt(index);
            const onPick = () => {
              setActive(index);
              if (row !== undefined) onOpen?.(row);
            };
            const about = { id: `${id}-${index}`, index, start, isActive: index === active, onPick };
            return <GridRow key={index} {...about} columns={columns} row={row} />;
          })}
        </div>
      </div>
    </div>
  );
}

function classOf<Row>({ isNumber, isWhole }: GridColumn<Row>): string | undefined {
  return isNumber ? 'whole end' : isWhole ? 'whole' : undefined;
}

function trackOf<Row>({ least, share }: GridColumn<Row>): string {
  return share === undefined ? `${least}px` : `minmax(${least}px, ${share}fr)`;
}

function widthOf<Row>(columns: readonly GridColumn<Row>[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0);
}

/** The columns for which the frame has room, each wide enough for what must not be cut. */
function useColumnsThatFit<Row>(
  frame: RefObject<HTMLElement | null>,
  all: readonly GridColumn<Row>[],
): readonly GridColumn<Row>[] {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setRoom(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  const widths = useWholeWidths(frame);
  let columns = all.map((column) => ({ ...column, least: Math.max(column.least, widths[column.id] ?? 0) }));
  while (widthOf(columns) > room) {
    const first = Math.max(...columns.map(({ spare = 0 }) => spare));
    if (first === 0) break;
    columns = columns.filter(({ spare }) => spare !== first);
  }
  return columns;
}

/** How wide the columns must be whose content is never cut (px), by their ids, as far as it was drawn. */
function useWholeWidths(frame: RefObject<HTMLElement | null>): Readonly<Record<string, number>> {
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  useLayoutEffect(() => {
    const wider: Record<string, number> = {};
    const range = document.createRange();
    for (const cell of frame.current?.querySelectorAll<HTMLElement>('.grid-row > .whole') ?? []) {
      const column = cell.dataset.column ?? '';
      range.selectNodeContents(cell);
      // A browser cuts a text that is wider than its cell by a fraction of a pixel, too.
      const width = Math.ceil(range.getBoundingClientRect().width);
      if (width <= cell.clientWidth) continue;
      wider[column] = Math.max(wider[column] ?? 0, width + cell.offsetWidth - cell.clientWidth);
    }
    if (Object.keys(wider).length > 0) setWidths((before) => ({ ...before, ...wider }));
  });
  return widths;
}

/** The target of a key from the active row; undefined for a key that does not move. */
function placeAfter(
  key: string,
  { active, page, count }: { active: number; page: number; count: number },
): number | undefined {
  const places: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const to = places[key];
  return to === undefined ? undefined : Math.min(Math.max(0, to), Math.max(0, count - 1));
}

interface GridRowProps<Row> {
  id: string;
  index: number;
  start: number;
  isActive: boolean;
  onPick: () => void;
  columns: readonly GridColumn<Row>[];
  row: Row | undefined;
}

function GridRow<Row>({ id, index, start, isActive, onPick, columns, row }: GridRowProps<Row>) {
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      className={isActive ? 'grid-row active' : 'grid-row'}
      style={{ transform: `translateY(${start}px)` }}
      onClick={onPick}
    >
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={classOf(column)} data-column={column.id}>
          {row === undefined ? '…' : column.cell(row)}
        </div>
      ))}
    </div>
  );
}
