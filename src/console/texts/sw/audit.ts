import type { audit as english } from '../en/audit.ts';

export const audit: Record<keyof typeof english, string> = {
  'audit.sub':
    'Nani alifanya nini. Badiliko la kumbukumbu hizi haliwezi kufichika: kila tukio limeunganishwa na lililotangulia.',
  'audit.tab.batches': 'Mafungu',
  'audit.tab.access': 'Watu na ufikiaji',
  'audit.tab.numbers': 'Nambari kamili',
  'audit.numbers_help':
    'Nani ameona nambari kamili za simu za fungu au rasimu gani: tukio moja kwa kila mtu, mahali na robo saa.',
  'audit.search': 'Tafuta kwa mtu, tukio au maelezo',
  'audit.batch': 'Matukio yote ya fungu',
  'audit.more': 'Matukio 1,000 ya kwanza yanaonyeshwa. Ukurasa wa fungu una yote.',
  'audit.none': 'Hakuna tukio linalolingana',
  'audit.check': 'Kagua minyororo yote',
  'audit.whole':
    'Kamili na bila mabadiliko: {batches, plural, one {fungu #} other {mafungu #}}, {events, plural, one {tukio #} other {matukio #}}',
  'audit.edited': 'Mtu amehariri kumbukumbu za mafungu haya: {batches}. “airbatch audit” inaonyesha zipi.',
  'audit.broken_at': 'Kumbukumbu hii imehaririwa: tukio {seq} halifuati lililotangulia.',
};
