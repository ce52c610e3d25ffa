import { useSession } from '../../api/session.ts';
import { actorName } from '../../base/event-text.ts';
import { ForSupport } from '../../base/failure.tsx';
import { endedUnapproved } from '../../base/state-badge.tsx';
import type { Tone } from '../../base/states.ts';
import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { ApprovalsLine } from './approvals-line.tsx';
import type { BatchStatus } from './batch-queries.ts';
import { CorrectionPart } from './correction-part.tsx';

type Situation = BatchStatus['situation'];
type Pause = BatchStatus['pauses'][number];

const tones: Record<Situation['doing'], Tone> = {
  reading: 'moving',
  unreadable: 'bad',
  unanswered: 'attention',
  awaiting_approval: 'attention',
  starting: 'moving',
  sending: 'moving',
  following: 'moving',
  interrupted: 'attention',
  waiting: 'attention',
  paused: 'attention',
  finished: 'good',
  cancelled: 'neutral',
};

/** What the batch is doing, what holds it, and what is needed next from whom: at the top of its page. */
export function SituationNotice({ batch }: { batch: BatchStatus }) {
  const { situation, pauses } = batch;
  const rejection = reasonText(batch.rejection_reason) ?? batch.rejection;
  const { doing, holds, next, meanwhile } = situation;
  const how = endedUnapproved(batch);
  const person = batch.withdrawn_by ?? batch.rejected_by;
  const tone = next?.from === 'person' && tones[doing] === 'good' ? 'attention' : tones[doing];
  const others = holds.filter((hold) => !pauses.some(({ reason }) => reason === hold));
  return (
    <section className={`notice tone-${tone}`} aria-label={t('batch.now')}>
      <div className="stack tight">
        <h2>{t(`doing.${how ?? doing}`)}</h2>
        {rejection !== null && how === null && <p>{rejection}</p>}
        {rejection !== null && how !== null && (
          <p>
            {t('base.labelled', { label: t('base.reason'), value: rejection })}{' '}
            {person !== null && <span className="small">({person})</span>}
          </p>
        )}
        {pauses.map((pause) => (
          <PauseLine key={pause.reason + pause.since} pause={pause} />
        ))}
        {others.map((hold) => (
          <p key={hold}>{t(`hold.${hold}`)}</p>
        ))}
        {batch.status === 'awaiting_approval' && <ApprovalsLine approvals={batch.approvals} />}
        {next !== null && <NeedLine need={next} isFirst />}
        {meanwhile.map((need) => (
          <NeedLine key={need.what} need={need} isFirst={false} />
        ))}
        <CorrectionPart batch={batch} />
      </div>
    </section>
  );
}

/** Why it is paused. What airbatch itself observed is also there in English, as its log has it. */
function PauseLine({ pause: { reason, detail, detail_reason, paused_by, since } }: { pause: Pause }) {
  const label = t(`hold.${reason}`);
  const observed = reasonText(detail_reason);
  return (
    <>
      <p>
        {reason === 'by_person' && detail !== null ? t('base.labelled', { label, value: detail }) : label}
        {observed !== null && `. ${observed}`}{' '}
        <span className="small">
          ({actorName(paused_by)}, <Time at={since} />)
        </span>
      </p>
      {reason !== 'by_person' && detail !== null && <ForSupport>{detail}</ForSupport>}
    </>
  );
}

function NeedLine({
  need: { what, role, rows, at },
  isFirst,
}: {
  need: NonNullable<Situation['next']>;
  isFirst: boolean;
}) {
  const { roles } = useSession();
  const isMine = role !== null && roles.includes(role);
  return (
    <p>
      <strong>{t(isFirst ? 'batch.next' : 'batch.meanwhile')}</strong> {t(`need.${what}`, { rows })}
      {at !== null && (
        <>
          {' '}
          (<Time at={at} />)
        </>
      )}
      {role !== null && !isMine && (
        <span className="small">. {t('batch.needs_role', { role: t(`role.${role}`) })}</span>
      )}
    </p>
  );
}
