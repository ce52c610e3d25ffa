import type { Answer } from '../../api/client.ts';
import { Badge } from '../../base/state-badge.tsx';
import type { Tone } from '../../base/states.ts';
import { None, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { slotText } from '../../texts/reason-text.ts';

export type Job = Answer<'/api/v1/jobs'>['jobs'][number];
type Slot = NonNullable<Job['last_slot']>;

const tones: Record<Slot['state'], Tone> = {
  due: 'attention',
  running: 'moving',
  done: 'good',
  skipped: 'neutral',
  failed: 'bad',
};

export function SlotBadge({ state }: Pick<Slot, 'state'>) {
  return <Badge tone={tones[state]}>{t(`slot.${state}`)}</Badge>;
}

export function SlotCell({ slot }: { slot: Slot | null }) {
  if (slot === null) return <None />;
  return (
    <>
      <SlotBadge state={slot.state} />
      <div className="small">
        <Time at={slot.due_at} />
      </div>
      {slot.detail !== null && <div className="small quiet wrap">{slotText({ ...slot, detail: slot.detail })}</div>}
    </>
  );
}
