import { Component, type ReactNode } from 'react';
import { Unreachable } from '../api/problem.ts';
import { Button } from '../base/button.tsx';
import { t } from '../texts/i18n.ts';

/**
 * A page that crashes, or that cannot be loaded without a connection, does not affect the frame. Use the location as
 * `key`, so that another page is a new try.
 */
export class Crash extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const isAway = (error as unknown) instanceof Unreachable;
    return (
      <div className="notice tone-bad" role="alert">
        <div className="stack tight">
          <h1>{t(isAway ? 'failure.offline_title' : 'failure.title')}</h1>
          <p>{t(isAway ? 'failure.unreachable' : 'failure.page')}</p>
          <div>
            <Button onClick={() => location.reload()}>{t('failure.reload')}</Button>
          </div>
        </div>
      </div>
    );
  }
}
