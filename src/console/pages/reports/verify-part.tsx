import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { Field } from '../../base/field.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { t } from '../../texts/i18n.ts';
import { fileReader, type ReportFolder } from './report-queries.ts';
import { NotVerifiable, type Verdict, verifyReports } from './verify.ts';

/** Proves a version in this browser, and shows what was checked. */
export function VerifyPart({ batchId, folder }: { batchId: string; folder: ReportFolder }) {
  const [events, setEvents] = useState(0);
  const { version, is_masked: isMasked, files } = folder;
  const wanted = { batchId, version, isMasked, names: files.map(({ name }) => name) };
  const check = useMutation({ mutationFn: () => verifyReports(fileReader(batchId, folder), wanted, setEvents) });
  const { data, error, isPending, mutate } = check;
  return (
    <div className="stack tight">
      <div className="line">
        <Button isBusy={isPending} onClick={() => mutate()}>
          {t('verify.start')}
        </Button>
        <span className="small quiet" role="status">
          {isPending ? t('verify.running', { events }) : t('verify.help')}
        </span>
      </div>
      {error instanceof NotVerifiable && (
        <p className="notice tone-bad" role="alert">
          {t('verify.impossible', { file: error.message })}
        </p>
      )}
      {error !== null && !(error instanceof NotVerifiable) && <Failure error={error} onRetry={() => mutate()} />}
      {data !== undefined && <VerdictPart verdict={data} />}
    </div>
  );
}

function VerdictPart({ verdict: { checks, fingerprint, events } }: { verdict: Verdict }) {
  const [expected, setExpected] = useState('');
  const entered = expected.replace(/[\s:]/g, '').toLowerCase();
  const isOtherKey = entered !== '' && entered !== fingerprint;
  const isWhole = checks.every(({ faults }) => faults.length === 0) && !isOtherKey;
  return (
    <div className={`notice tone-${isWhole ? 'good' : 'bad'}`} role="status">
      <div className="stack tight">
        <h3>{t(isWhole ? 'verify.whole' : 'verify.broken')}</h3>
        <ul className="plain-list">
          {checks.map(({ what, faults }) => (
            <li key={what}>
              <Badge tone={faults.length === 0 ? 'good' : 'bad'}>
                {t(faults.length === 0 ? 'verify.right' : 'verify.wrong')}
              </Badge>{' '}
              {t(`verify.${what}`, { events })}
              {faults.length > 0 && <span className="small mono"> {faults.join(', ')}</span>}
            </li>
          ))}
        </ul>
        <p className="small">
          {t('verify.fingerprint')} <code>{fingerprint.match(/.{1,8}/g)?.join(' ')}</code>
        </p>
        <Field
          label={t('verify.expected')}
          help={t('verify.expected_help')}
          value={expected}
          onText={setExpected}
          fault={isOtherKey ? t('verify.other_key') : null}
        />
        {entered === fingerprint && <Badge tone="good">{t('verify.own_key')}</Badge>}
      </div>
    </div>
  );
}
