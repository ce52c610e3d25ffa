// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part, and its rows cannot be placed
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active cell
import { useId } from 'react';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { problemDetail, problemTitle } from '../../texts/problem-text.ts';
import type { DraftColumn, DraftRow } from './draft-queries.ts';
import { MendingRow } from './mending-row.tsx';
import '../../styles/grid.css';
import { cellText, type MendingProps, useMending } from './use-mending.ts';

/** A grid of any number of rows, drawn only where they are in view, whose cells people edit in place. */
export function MendingGrid(props: MendingProps) {
  const { columns, rows } = props;
  const id = useId();
  const grid = useMending(props);
  const { active, typed } = grid;
  const template = { '--grid-columns': `84px 28px ${columns.map(() => 'minmax(148px, 1fr)').join(' ')}` };
  return (
    <>
      <div
        ref={grid.frame}
        className="grid-frame mending"
        role="grid"
        aria-label={t('draft.rows')}
        aria-rowcount={rows.count + 1}
        aria-colcount={columns.length}
        aria-activedescendant={grid.isSeen ? `${id}-${active.index}-${active.column}` : undefined}
        tabIndex={0}
        onKeyDown={grid.onKeyDown}
        onPaste={grid.onPaste}
        style={grid.frameStyle}
      >
        <div className="grid" style={template as Record<string, string>}>
          <Head columns={columns} />
          <div className="grid-body" style={{ height: grid.height }}>
            {grid.items.map(({ index, start }) => (
              <MendingRow
                key={index}
                id={`${id}-${index}`}
                {...{ index, start, columns }}
                row={rows.rowAt(index)}
                activeColumn={index === active.index ? active.column : null}
                typed={index === active.index ? typed : null}
                onType={grid.setTyped}
                onLeave={() => grid.close(true)}
                onPick={(column, isOpened) => {
                  grid.close(true);
                  grid.setActive({ index, column });
                  const now = cellText(rows.rowAt(index), column);
                  if (isOpened) grid.setTyped(now, now);
                }}
              />
            ))}
          </div>
        </div>
      </div>
      <ActiveProblems row={grid.row} />
    </>
  );
}

function Head({ columns }: { columns: readonly DraftColumn[] }) {
  return (
    <div className="grid-row grid-head" role="row" aria-rowindex={1}>
      <div role="columnheader" className="end">
        {t('draft.line')}
      </div>
      <div role="columnheader">
        <span className="hidden-text">{t('base.state')}</span>
      </div>
      {columns.map(({ column, name }) => (
        <div key={column} role="columnheader" data-column={column}>
          {name}
        </div>
      ))}
    </div>
  );
}

/** What is wrong with the active row: it stays in view, and is read out. */
function ActiveProblems({ row }: { row: DraftRow | undefined }) {
  if (row === undefined) return null;
  return (
    <div className="grid-foot small" role="status">
      <strong>
        {t('draft.line')} {formatCount(row.line)}
      </strong>
      {row.problems.length === 0 ? (
        <span className="quiet">{t(`draft.state.${row.state}`)}</span>
      ) : (
        row.problems.map((problem) => (
          <span key={`${problem.code} ${problem.column}`}>
            {problemTitle(problem.code)}. <span className="quiet">{problemDetail(problem)}</span>
          </span>
        ))
      )}
    </div>
  );
}
