import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { connection } from '../api/connection.ts';
import { mayOversee, useSession } from '../api/session.ts';
import { Button } from '../base/button.tsx';
import { Toasts } from '../base/toast.tsx';
import { t } from '../texts/i18n.ts';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { type NavItem, navGroups } from './nav-items.ts';

/** The frame of every page. `paths`: those of all pages. */
export function Shell({ paths, children }: { paths: readonly string[]; children: ReactNode }) {
  const [location] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const isOnline = useSyncExternalStore(connection.subscribe, connection.isOnline);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another location
  useEffect(() => {
    setMenuOpen(false);
    // A new page begins at its top, on the screen and for the keyboard.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    window.scrollTo(0, 0);
  }, [location]);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        {t('shell.skip')}
      </a>
      <header className="top">
        <Button
          look="plain"
          aria-expanded={isMenuOpen}
          aria-controls="nav"
          className="menu-button"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          {t('shell.menu')}
        </Button>
        <Link href="/" className="brand">
          <Mark />
          airbatch
        </Link>
        <AccountMenu />
      </header>
      <nav className={isMenuOpen ? 'nav open' : 'nav'} id="nav" aria-label={t('shell.navigation')}>
        <NavList location={location} paths={paths} />
      </nav>
      <main className="main" id="main" ref={main} tabIndex={-1}>
        {!isOnline && (
          <div className="offline-bar notice" role="status">
            {t('shell.offline')}
          </div>
        )}
        {children}
      </main>
      <Toasts />
    </div>
  );
}

function NavList({ location, paths }: { location: string; paths: readonly string[] }) {
  const session = useSession();
  const { roles } = session;
  const isShown = ({ href, role, isOversight = false }: NavItem) =>
    paths.includes(href) && (role === undefined || roles.includes(role)) && (!isOversight || mayOversee(session));
  const groups = navGroups.map((group) => group.filter(isShown));
  return (
    <ul>
      {groups
        .filter((group) => group.length > 0 && roles.length > 0)
        .flatMap((group, index) => [
          ...(index === 0 ? [] : [<li key={`line-${group[0]?.href}`} aria-hidden="true" className="nav-line" />]),
          ...group.map(({ href, text, icon }) => (
            <li key={href}>
              <Link href={href} aria-current={isIn(location, href) ? 'page' : undefined}>
                <svg viewBox="0 0 24 24" aria-hidden="true">
                  <path d={icon} />
                </svg>
                {t(text)}
              </Link>
            </li>
          )),
        ])}
    </ul>
  );
}

function isIn(location: string, href: string): boolean {
  return href === '/' ? location === '/' || location.startsWith('/batches') : location.startsWith(href);
}
