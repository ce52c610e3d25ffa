import type { ResultOf } from '../../api/client.ts';
import { t } from '../../texts/i18n.ts';

interface Finding {
  tone: 'good' | 'bad' | 'attention';
  text: string;
}

/** What a check of all chains has found, in sentences; what was edited is in the report of `airbatch audit`. */
export function auditFindings({
  is_good,
  chain,
  rows,
  access,
  anchors: { unread },
}: ResultOf<'/api/v1/audits'>): Finding[] {
  const findings: Finding[] = [];
  const edited = new Set([...chain.broken, ...rows.edited].map(({ batch_id }) => batch_id));
  if (is_good)
    findings.push({ tone: 'good', text: t('audit.whole', { batches: chain.batches, events: chain.events }) });
  if (edited.size > 0) findings.push({ tone: 'bad', text: t('audit.edited', { batches: [...edited].join(', ') }) });
  if (access?.whole === false) findings.push({ tone: 'bad', text: t('audit.access_edited') });
  if (unread.length > 0) {
    const places = unread.map(({ place, why }) => `${place} (${why})`).join(', ');
    findings.push({ tone: 'attention', text: t('audit.unread', { places }) });
  }
  return findings;
}
