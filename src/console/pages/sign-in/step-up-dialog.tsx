import { useState } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../api/session.ts';
import { stepUpByCode, stepUpByPasskey } from '../../api/sign-in.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { t } from '../../texts/i18n.ts';
import { Refusal } from './refusal.tsx';
import { CodeField } from './sign-in-form.tsx';
import { useWork, type Work } from './use-work.ts';

/** Asks for a second factor before an action that moves money, or that decides who may move it. */
export function StepUpDialog({ purpose, onEnd }: { purpose: string; onEnd: (isToBeSentAgain: boolean) => void }) {
  const { factors = [] } = useSession();
  const [code, setCode] = useState('');
  const { error, isBusy, run } = useWork();
  const prove = (work: Work) =>
    void run(async () => {
      await work();
      onEnd(true);
    });
  if (factors.length === 0)
    return (
      <Dialog title={t('step_up.title')} onClose={() => onEnd(false)}>
        <p>{t('step_up.missing')}</p>
        <Link href="/account" className="button main-action" onClick={() => onEnd(false)}>
          {t('step_up.add')}
        </Link>
      </Dialog>
    );
  const hasCode = factors.includes('totp');
  return (
    <Dialog
      title={t('step_up.title')}
      onClose={() => onEnd(false)}
      work={{ isPending: isBusy, error: null }}
      submitText={t('step_up.submit')}
      {...(hasCode ? { onSubmit: () => prove(() => stepUpByCode(purpose, code)) } : {})}
    >
      <p>
        {t('step_up.help')} {hasCode && t('sign_in.code_help')}
      </p>
      {hasCode && <CodeField value={code} onChange={setCode} />}
      {factors.includes('passkey') && (
        <Button
          look={hasCode ? undefined : 'main-action'}
          isBusy={isBusy}
          onClick={() => prove(() => stepUpByPasskey(purpose))}
        >
          {t('sign_in.use_passkey')}
        </Button>
      )}
      <Refusal error={error} />
    </Dialog>
  );
}
