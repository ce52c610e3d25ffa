import { useState } from 'react';
import { Button } from '../../base/button.tsx';
import { Card } from '../../base/page.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { problemDetail, problemTitle } from '../../texts/problem-text.ts';
import type { Draft, ProblemGroup } from './draft-queries.ts';
import { FixDialog } from './fix-dialog.tsx';
import type { DraftEditor } from './use-draft-editor.ts';
import { allRows, type RowFilter } from './use-draft-rows.ts';

interface ProblemsProps {
  draft: Draft;
  editor: DraftEditor;
  filter: RowFilter;
  onFilter: (filter: RowFilter) => void;
  isOpen: boolean;
  /** Shows how the whole file is read. */
  onWholeFile: () => void;
}

/** Problems that an option of the whole file may solve. */
const ofWholeFile: ReadonlySet<ProblemGroup['code']> = new Set([
  ...(['PHONE_NEEDS_COUNTRY', 'PHONE_AMBIGUOUS', 'CURRENCY_MISSING', 'NETWORK_MISSING', 'AMOUNT_AMBIGUOUS'] as const),
  'TOTAL_LINE' as const,
]);

/** What is wrong, by kind: each kind has fixes for all of its rows, and shows these rows. */
export function ProblemsCard({ draft, editor, filter, onFilter, isOpen, onWholeFile }: ProblemsProps) {
  const { groups, totals } = draft;
  const [mending, setMending] = useState<ProblemGroup | null>(null);
  if (totals === null) return null;
  if (groups.length === 0)
    return (
      <p className="notice tone-good" role="status">
        {t('draft.all_right')}
      </p>
    );
  const isShown = (group: ProblemGroup) => filter.code === group.code && filter.column === group.column;
  return (
    <Card title={t('draft.problems')} isFlush>
      <ul className="group-list">
        {groups.map((group) => (
          <li key={`${group.code} ${group.column}`} className={isShown(group) ? 'shown' : undefined}>
            <span className="group-count numbers">{formatCount(group.rows)}</span>
            <span className="group-text">
              <strong>{problemTitle(group.code)}</strong>
              <span className="quiet small wrap">{valuesText(group)}</span>
              <span className="quiet small">{problemDetail({ code: group.code, values: group.example.values })}</span>
            </span>
            <span className="line">
              <Button
                look="link"
                aria-pressed={isShown(group)}
                onClick={() =>
                  onFilter(isShown(group) ? allRows : { ...allRows, code: group.code, column: group.column })
                }
              >
                {t(isShown(group) ? 'draft.show_all' : 'draft.show_rows')}
              </Button>
              {isOpen && (ofWholeFile.has(group.code) || group.example.values.why === 'total') && (
                <Button look="link" onClick={onWholeFile}>
                  {t('draft.for_whole_file')}
                </Button>
              )}
              {isOpen && <Button onClick={() => setMending(group)}>{t('draft.mend')}</Button>}
            </span>
          </li>
        ))}
      </ul>
      {mending !== null && <FixDialog draft={draft} group={mending} editor={editor} onClose={() => setMending(null)} />}
    </Card>
  );
}

/** The column of a group, and its first values. */
function valuesText({ column_name: label, values }: Draft['groups'][number]): string {
  const shown = values.slice(0, 4).map(({ value }) => (value === '' ? t('draft.empty') : value));
  return label === null ? shown.join(' · ') : t('base.labelled', { label, value: shown.join(' · ') });
}
