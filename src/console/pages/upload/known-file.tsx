import { Link } from 'wouter';
import { Dialog } from '../../base/dialog.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { batchPath, draftPath } from '../../base/values.tsx';
import { formatTime } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import type { DraftSummary } from './upload-queries.ts';

interface KnownProps {
  known: readonly DraftSummary[];
  onNew: () => void;
  onClose: () => void;
}

/** The same file was uploaded before: most people want that draft, and not a second one. */
export function KnownFile({ known, onNew, onClose }: KnownProps) {
  return (
    <Dialog title={t('draft.known')} submitText={t('draft.known_new')} onSubmit={onNew} onClose={onClose}>
      <p>{t('draft.known_help')}</p>
      <ul className="plain-list">
        {known.map((draft) => (
          <li key={draft.draft_id}>
            <KnownDraft draft={draft} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function KnownDraft({ draft }: { draft: DraftSummary }) {
  const { draft_id, batch_id, status, file_name, created_by, created_at } = draft;
  const isSubmitted = status === 'submitted' && batch_id !== null;
  const href = isSubmitted ? batchPath(batch_id) : draftPath(draft_id);
  return (
    <>
      <Link href={href}>{file_name}</Link> {isSubmitted && <Badge tone="attention">{t('draft.known_submitted')}</Badge>}
      <span className="quiet small"> {t('draft.known_by', { person: created_by, time: formatTime(created_at) })}</span>
    </>
  );
}
