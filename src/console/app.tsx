import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { watchAttention } from './api/attention.ts';
import { codeOf } from './api/problem.ts';
import { makeQueryClient } from './api/query-client.ts';
import { readSession, type Session, SessionContext } from './api/session.ts';
import { ButtonLink } from './base/button.tsx';
import { Failure } from './base/failure.tsx';
import { Loading, Page } from './base/page.tsx';
import { SessionGates } from './pages/sign-in/session-gates.tsx';
import { pages } from './pages.ts';
import { Crash } from './shell/crash.tsx';
import { LanguageContext, useLanguage } from './shell/language.ts';
import { Shell } from './shell/shell.tsx';
import { currentLanguage, type Language, rememberLanguage, showLanguage, t } from './texts/i18n.ts';

const queries = makeQueryClient();
const SignInPage = lazy(async () => ({ default: (await import('./pages/sign-in/sign-in-page.tsx')).SignInPage }));

/** Data that a person decides on must not change on their screen. The next request shows that a session has ended. */
function isReadAnew({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'review' && queryKey[0] !== 'session';
}

export function App() {
  const [language, setLanguage] = useState(currentLanguage());
  // A person who comes back sees the present state.
  useEffect(() => watchAttention(window, () => void queries.invalidateQueries({ predicate: isReadAnew })), []);
  const choose = (chosen: Language) => {
    rememberLanguage(chosen);
    void showLanguage(chosen).then(() => setLanguage(chosen));
  };
  return (
    <LanguageContext value={{ language, choose }}>
      <QueryClientProvider client={queries}>
        <SignedIn />
      </QueryClientProvider>
    </LanguageContext>
  );
}

/** Shows the pages to a person who is signed in, and the sign-in page to everybody else. */
function SignedIn() {
  const [path, navigate] = useLocation();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['session'],
    queryFn: readSession,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { choose } = useLanguage();
  // These pages sign a person in, even if another person is signed in to this browser.
  const isOutside = path === '/link' || path === '/sign-in/openid';
  const done = (session: Session) => {
    if (isOutside) navigate('/', { replace: true });
    // The language is that of the person, whatever this browser showed before.
    if (session.locale !== null) choose(session.locale as Language);
    client.setQueryData(['session'], session);
  };
  // A person whose session ends signs in again in a dialog over the page, and keeps what they have entered.
  if (isOutside || (data === undefined && codeOf(error) === 'SIGN_IN_NEEDED'))
    return (
      <Suspense fallback={<Loading />}>
        <SignInPage onDone={done} />
      </Suspense>
    );
  if (data !== undefined)
    return (
      <SessionContext value={data}>
        <Pages />
        <SessionGates />
      </SessionContext>
    );
  if (error === null) return <Loading />;
  return (
    <main className="main">
      <div className="page">
        <Failure error={error} onRetry={() => void refetch()} />
      </div>
    </main>
  );
}

function Pages() {
  const [location] = useLocation();
  return (
    <Shell paths={pages.map(({ path }) => path)}>
      <Crash key={location}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {pages.map(({ path, component }) => (
              <Route key={path} path={path} component={component} />
            ))}
            <Route>
              <Page title={t('shell.no_page')} actions={<ButtonLink href="/">{t('nav.batches')}</ButtonLink>} />
            </Route>
          </Switch>
        </Suspense>
      </Crash>
    </Shell>
  );
}
