import { type ReactNode, useEffect } from 'react';
import type { Session } from '../../api/session.ts';
import { providerUrl } from '../../api/sign-in.ts';
import { Button } from '../../base/button.tsx';
import { useLanguage } from '../../shell/language.ts';
import { Mark } from '../../shell/mark.tsx';
import { currentLanguage, languageNames, languages, t } from '../../texts/i18n.ts';
import { LinkForm } from './link-form.tsx';
import { Refusal } from './refusal.tsx';
import { ReturnFromProvider } from './return-from-provider.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useProvider } from './use-provider.ts';
import { useWork } from './use-work.ts';
import '../../styles/sign-in.css';

/** The page for people who are not signed in: sign-in, a one-time link, or the return from an identity provider. */
export function SignInPage({ onDone }: { onDone: (session: Session) => void }) {
  const { pathname } = location;
  const isLink = pathname === '/link';
  const title = isLink ? t('link.title') : t('sign_in.title');
  useEffect(() => {
    document.title = `${title} · airbatch`;
  }, [title]);
  return (
    <Outside title={title}>
      {isLink ? (
        <LinkForm onDone={onDone} />
      ) : pathname === '/sign-in/openid' ? (
        <ReturnFromProvider onDone={onDone} />
      ) : (
        <>
          <SignInForm onDone={onDone} />
          <ProviderButton />
        </>
      )}
    </Outside>
  );
}

function Outside({ title, children }: { title: string; children: ReactNode }) {
  const { choose } = useLanguage();
  return (
    <main className="outside">
      <div className="brand">
        <Mark />
        airbatch
      </div>
      <section className="card stack">
        <h1>{title}</h1>
        {children}
      </section>
      <div className="languages">
        {languages.map((language) => (
          <Button
            key={language}
            look="plain"
            className="link"
            lang={language}
            aria-pressed={language === currentLanguage()}
            onClick={() => choose(language)}
          >
            {languageNames[language]}
          </Button>
        ))}
      </div>
    </main>
  );
}

/** The link to the identity provider, if one is configured. */
function ProviderButton() {
  const provider = useProvider();
  const { error, isBusy, run } = useWork();
  if (provider === null) return null;
  return (
    <>
      <Button
        className="wide"
        isBusy={isBusy}
        onClick={() => void run(async () => location.assign(await providerUrl()))}
      >
        {provider.label}
      </Button>
      <Refusal error={error} />
    </>
  );
}
