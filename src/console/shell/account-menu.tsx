import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { requestJson } from '../api/client.ts';
import { codeOf } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../base/button.tsx';
import { Dialog } from '../base/dialog.tsx';
import { Failure } from '../base/failure.tsx';
import { Select } from '../base/field.tsx';
import { Facts } from '../base/page.tsx';
import { accountsText } from '../forms/account-field.tsx';
import { currentLanguage, type Language, languageNames, languages, t } from '../texts/i18n.ts';
import { useLanguage } from './language.ts';

/** Who is signed in, what they may do, and in which language they read. */
export function AccountMenu() {
  const { person, roles, accounts } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { choose } = useLanguage();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  /** People leave the machine once they believe that they are signed out, so a failure is shown. */
  const signOut = async () => {
    setError(null);
    try {
      await requestJson('DELETE', '/session');
    } catch (failure) {
      if (codeOf(failure) !== 'SIGN_IN_NEEDED') return setError(failure);
    }
    queries.clear();
    location.assign('/');
  };
  const pick = (language: Language) => {
    choose(language);
    void requestJson('POST', '/session/language', { language }).catch(() => undefined);
  };
  return (
    <div className="who">
      <Button look="plain" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span>{person}</span>
        <span className="quiet accounts">{accountsText(accounts)}</span>
      </Button>
      {isOpen && (
        <Dialog title={person} onClose={() => setOpen(false)}>
          <Facts
            facts={[
              [t('shell.roles'), roles.map((role) => t(`role.${role}`)).join(', ')],
              [t('shell.accounts'), accountsText(accounts)],
            ]}
          />
          <Select
            label={t('shell.language')}
            value={currentLanguage()}
            options={languages.map((value) => ({ value, label: languageNames[value] }))}
            onPick={pick}
          />
          {error !== null && <Failure error={error} onRetry={() => void signOut()} />}
          <div className="line">
            <Link href="/account" className="button" onClick={() => setOpen(false)}>
              {t('account.title')}
            </Link>
            <Button onClick={() => void signOut()}>{t('shell.sign_out')}</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
