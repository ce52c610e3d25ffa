import { detailOf, eventText } from '../../base/events-table.tsx';
import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { ChangedByOthers } from './unless-changed.ts';

const shownMax = 5;

/** What others have decided meanwhile, in a dialog that a person has not finished. */
export function ChangesOfOthers({ error }: { error: unknown }) {
  if (!(error instanceof ChangedByOthers)) return null;
  const more = error.events.length - shownMax;
  return (
    <div className="notice tone-attention" role="alert">
      <div className="stack tight">
        <h3>{t('changed.title')}</h3>
        <ul className="history">
          {error.events.slice(0, shownMax).map((event) => (
            <li key={event.seq}>
              <strong>{eventText(event.kind)}</strong> · {event.actor} · <Time at={event.at} isExact />
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
