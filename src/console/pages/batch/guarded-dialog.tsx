import { Dialog, type DialogProps } from '../../base/dialog.tsx';
import { actorName, detailOf, eventName } from '../../base/event-text.ts';
import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { ChangedByOthers } from './unless-changed.ts';
import './history.css';

const shownMax = 5;

/** The dialog of `useGuardedAction`. If others have decided meanwhile, it shows their decisions, and no failure. */
export function GuardedDialog({ work, children, ...dialog }: DialogProps & Required<Pick<DialogProps, 'work'>>) {
  const changed = work.error instanceof ChangedByOthers ? work.error : null;
  return (
    <Dialog {...dialog} work={changed === null ? work : { ...work, error: null }}>
      {changed !== null && <ChangesOfOthers error={changed} />}
      {children}
    </Dialog>
  );
}

function ChangesOfOthers({ error }: { error: ChangedByOthers }) {
  const more = error.events.length - shownMax;
  return (
    <div className="notice tone-attention" role="alert">
      <div className="stack tight">
        <h3>{t('changed.title')}</h3>
        <ul className="history">
          {error.events.slice(0, shownMax).map((event) => (
            <li key={event.seq}>
              <strong>{eventName(event)}</strong> · {actorName(event.actor)} · <Time at={event.at} isExact />
              <div className="small wrap">{detailOf(event)}</div>
            </li>
          ))}
        </ul>
        {more > 0 && <p className="small">{t('changed.more', { count: more })}</p>}
        <p>{t('changed.help')}</p>
      </div>
    </div>
  );
}
