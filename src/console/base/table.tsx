import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  label: string;
  /** Numbers are right-aligned, so that their digits line up. */
  isNumber?: boolean;
  /** The cell names its row for screen readers. */
  isHead?: boolean;
  /** Buttons, which say themselves what they do: the label is for screen readers. */
  isAction?: boolean;
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** On a narrow screen each row becomes a small card. */
  stacks?: boolean;
  /** Stands in place of a table without rows. */
  empty?: ReactNode;
}

/** A table of some hundred rows at most; for more there is `Grid`. */
export function Table<Row>({ caption, columns, rows, keyOf, stacks = false, empty }: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard
    <section className="table-frame" aria-label={caption} tabIndex={0}>
      <table className={stacks ? 'table stacks' : 'table'}>
        <caption className="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ id, label, isNumber, isAction }) => (
              <th key={id} scope="col" className={isNumber ? 'end' : undefined}>
                {isAction ? <span className="hidden-text">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ id, label, isNumber, isHead, isAction, cell }) =>
                isHead ? (
                  <th key={id} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={id} className={isNumber ? 'end' : isAction ? 'action' : undefined} data-label={label}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
