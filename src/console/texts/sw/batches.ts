import type { batches as english } from '../en/batches.ts';

export const batches: Record<keyof typeof english, string> = {
  'batches.filter.all': 'mafungu yote',
  'batches.filter.needs': 'yanayohitaji mtu',
  'batches.filter.open': 'yanayoendelea',
  'batches.filter.ended': 'yaliyoisha',
  'batches.search': 'Tafuta kwa mfululizo, faili au mtu',
  'batches.column.batch': 'Fungu',
  'batches.column.rows': 'Safu',
  'batches.column.progress': 'Maendeleo',
  'batches.column.charged': 'Iliyotozwa',
  'batches.column.account': 'Akaunti',
  'batches.column.created': 'Liliwasilishwa',
  'batches.by': 'na {person}',
  'batches.finish_by': 'likamilike kabla ya {time}',
  'batches.late': 'litachelewa',
  'batches.in_doubt': '{count, plural, one {safu # ina shaka} other {safu # zina shaka}}',
  'batches.held': '{count, plural, one {safu # imezuiliwa} other {safu # zimezuiliwa}}',
  'batches.failed': '{count, plural, one {safu # imeshindwa} other {safu # zimeshindwa}}',
  'batches.none': 'Bado hakuna fungu',
  'batches.none_help':
    'Fungu hutengenezwa kutoka faili ya wapokeaji na kiasi, ambayo mtu mwenye jukumu la “{role}” huipakia.',
  'batches.none_match': 'Hakuna fungu linalolingana',
  'batches.more': 'Onyesha mafungu ya zamani',
};
