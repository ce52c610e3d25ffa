import type { ResultOf } from '../../api/client.ts';
import { t } from '../../texts/i18n.ts';

/** Whose records somebody has changed, in sentences; what was changed is in the report of `airbatch audit`. */
export function auditFaults({ chain, rows, access }: ResultOf<'/api/v1/audits'>): string {
  const batches = new Set([...chain.broken, ...rows.edited].map(({ batch_id }) => batch_id));
  return [
    ...(batches.size === 0 ? [] : [t('audit.edited', { batches: [...batches].join(', ') })]),
    ...(access?.whole === false ? [t('audit.access_edited')] : []),
  ].join(' ');
}
