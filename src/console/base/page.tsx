import { type ReactNode, useEffect } from 'react';
import type { Role } from '../api/session.ts';
import { t } from '../texts/i18n.ts';

/** A page: its title, what can be done on it, and its content. */
export function Page({
  title,
  sub,
  actions,
  children,
}: {
  title: string;
  sub?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · airbatch`;
  }, [title]);
  return (
    <div className="page stack">
      <div className="page-head">
        <div>
          <h1>{title}</h1>
          {sub !== undefined && <div className="sub">{sub}</div>}
        </div>
        {actions && <div className="line">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page. `isFlush`: its content, such as a table, reaches its edges. */
export function Card({
  title,
  actions,
  isFlush = false,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  isFlush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={isFlush ? 'card flush' : 'card'}>
      {title !== undefined && (
        <div className="card-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

export type Fact = readonly [name: string, value: ReactNode];

/** Facts with their names. False: one that does not apply here. */
export function Facts({ facts }: { facts: readonly (Fact | false)[] }) {
  const shown = facts.filter((fact) => fact !== false);
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <FactLine key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactLine({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

export interface Figure {
  name: string;
  value: ReactNode;
  more?: ReactNode;
}

/** Large numbers side by side. False: one that does not apply here. */
export function Figures({ figures }: { figures: readonly (Figure | false)[] }) {
  const shown = figures.filter((figure) => figure !== false);
  return (
    <dl className="figures">
      {shown.map(({ name, value, more }) => (
        <div className="figure" key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {more !== undefined && <div className="more">{more}</div>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** There is nothing to show. The content says why, or what the reader can do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A card in which there is nothing to show. */
export function EmptyCard(about: Parameters<typeof Empty>[0]) {
  return (
    <Card>
      <Empty {...about} />
    </Card>
  );
}

/** The reader's roles do not allow what the page is for. */
export function NoRole({ title, needs }: { title: string; needs: Role }) {
  return (
    <EmptyCard title={title}>
      <p>{t('base.no_role_help', { role: t(`role.${needs}`) })}</p>
    </EmptyCard>
  );
}

export function Loading() {
  return (
    <div className="card" role="status">
      <span className="hidden-text">{t('base.loading')}</span>
      <div className="skeleton" aria-hidden="true">
        <span />
        <span />
        <span />
        <span />
        <span />
      </div>
    </div>
  );
}
