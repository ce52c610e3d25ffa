import type { doubts as english } from '../en/doubts.ts';

export const doubts: Record<keyof typeof english, string> = {
  'doubts.sub': 'Safu ambazo bado haijulikani kama zimelipwa, na safu zinazosubiri uamuzi.',
  'doubts.tab.doubts': 'Zenye shaka',
  'doubts.tab.held': 'Zilizozuiliwa',
  'doubts.none': 'Hakuna safu yenye shaka',
  'doubts.none_help': 'Matokeo ya kila malipo yanajulikana, au bado yanafuatiliwa.',
  'doubts.rows': 'Safu zenye shaka',
  'doubts.sum': 'Jumla yake',
  'doubts.oldest': 'Ya zamani zaidi',
  'doubts.age': '{time} zilizopita',
  'doubts.since': 'Ina shaka tangu',
  'doubts.evidence': 'Huduma ilisema nini',
  'doubts.not_whole':
    '{count, plural, one {Safu # ya kwanza tu imeorodheshwa na kujumlishwa.} other {Safu # za kwanza tu zimeorodheshwa na kujumlishwa.}}',
  'doubts.next_lookup': 'Uangalizi unaofuata:',
  'doubts.left': 'Hakuna uangalizi zaidi: mtu aamue',
};
