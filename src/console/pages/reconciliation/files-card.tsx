import { useMayReadWhole } from '../../api/session.ts';
import { Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { formatBytes } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { useReconciliation } from './reconciliation-queries.ts';
import '../../styles/file-list.css';

/** Files with the references of payments, which may have phone numbers: the server keeps who has read them. */
const withReferences = /^reconciliation\.(csv|xlsx|html)$/;

/** The signed files of a reconciliation: every line of it, also those that agree. */
export function FilesCard({ id }: { id: string }) {
  const query = useReconciliation(id);
  const mayReadWhole = useMayReadWhole();
  const address = `/api/v1/reconciliations/${encodeURIComponent(id)}/files`;
  return (
    <Loaded query={query}>
      {({ reports }) => (
        <Card title={t('reconciliation.files')}>
          {reports === null ? (
            <p className="quiet">{t('reconciliation.files_gone')}</p>
          ) : (
            <div className="stack tight">
              <ul className="file-list">
                {reports.files
                  .filter(({ name }) => mayReadWhole || !withReferences.test(name))
                  .map(({ name, bytes }) => (
                    <li key={name}>
                      <a href={`${address}/${encodeURIComponent(name)}`} download={`${id}-${name}`}>
                        {name}
                      </a>
                      <span className="small quiet numbers">{formatBytes(bytes)}</span>
                    </li>
                  ))}
              </ul>
              <p className="small quiet">
                {t(mayReadWhole ? 'reconciliation.files_help' : 'reconciliation.files_part')}
              </p>
            </div>
          )}
        </Card>
      )}
    </Loaded>
  );
}
