import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { change } from '../../api/client.ts';
import { Dialog } from '../../base/dialog.tsx';
import { Loaded } from '../../base/failure.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { Refusal } from '../sign-in/refusal.tsx';
import { CodeField } from '../sign-in/sign-in-form.tsx';
import { factorReads } from './person.ts';
import '../../styles/sign-in.css';

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }));

/** Adds an app that shows codes: its secret, and a first code that shows that the app has it. */
export function AppDialog({ onClose }: { onClose: () => void }) {
  const [code, setCode] = useState('');
  const secret = useQuery({
    queryKey: ['totp-secret'],
    queryFn: () => change('/api/v1/session/factors/totp', { body: {} }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const confirm = useChange(() => change('/api/v1/session/factors/totp/confirm', { body: { code } }), {
    reads: factorReads,
    done: () => t('account.added'),
    onDone: onClose,
  });
  return (
    <Dialog
      title={t('account.add_app')}
      onClose={onClose}
      submitText={t('account.confirm')}
      onSubmit={() => confirm.mutate()}
      work={{ ...confirm, error: null }}
    >
      <p>{t('account.app_help')}</p>
      <Loaded query={secret}>
        {({ secret: key, uri }) => (
          <>
            <Suspense fallback={<div className="qr" />}>
              <QrCode text={uri} label={t('account.app_picture')} />
            </Suspense>
            <p className="secret">{key.match(/.{1,4}/g)?.join(' ')}</p>
            <a href={uri}>{t('account.app_open')}</a>
          </>
        )}
      </Loaded>
      <CodeField value={code} onChange={setCode} />
      <Refusal error={confirm.error} />
    </Dialog>
  );
}
