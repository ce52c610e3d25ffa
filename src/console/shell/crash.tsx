import { Component, type ReactNode } from 'react';
import { Button } from '../base/button.tsx';
import { t } from '../texts/i18n.ts';

/** A page that crashes does not affect the frame. Use the location as `key`, so that another page is a new try. */
export class Crash extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="notice tone-bad" role="alert">
        <div className="stack tight">
          <h1>{t('failure.title')}</h1>
          <p>{t('failure.page')}</p>
          <div>
            <Button onClick={() => location.reload()}>{t('failure.reload')}</Button>
          </div>
        </div>
      </div>
    );
  }
}
