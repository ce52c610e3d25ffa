import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { codeOf } from './api/problem.ts';
import { makeQueryClient } from './api/query-client.ts';
import { readSession, SessionContext } from './api/session.ts';
import { Failure } from './base/failure.tsx';
import { Empty, Loading } from './base/page.tsx';
import { pages } from './pages.ts';
import { Crash } from './shell/crash.tsx';
import { LanguageContext } from './shell/language.ts';
import { Shell } from './shell/shell.tsx';
import { currentLanguage, type Language, rememberLanguage, showLanguage, t } from './texts/i18n.ts';

const queries = makeQueryClient();

export function App() {
  const [language, setLanguage] = useState(currentLanguage());
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

/** The console for whoever is signed in. */
function SignedIn() {
  const { data, error, refetch } = useQuery({
    queryKey: ['session'],
    queryFn: readSession,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data !== undefined)
    return (
      <SessionContext value={data}>
        <Pages />
      </SessionContext>
    );
  if (error === null) return <Loading />;
  return (
    <main className="main">
      <div className="page">
        {codeOf(error) === 'SIGN_IN_NEEDED' ? (
          <Empty title={t('shell.sign_in')} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )}
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
              <Empty title={t('shell.no_page')} />
            </Route>
          </Switch>
        </Suspense>
      </Crash>
    </Shell>
  );
}
