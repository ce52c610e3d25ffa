import type { jobs as english } from '../en/jobs.ts';

export const jobs: Record<keyof typeof english, string> = {
  'jobs.sub': 'Faili ambazo airbatch huzichukua na kuzilipa kwa ratiba.',
  'jobs.none': 'Hakuna kazi',
  'jobs.none_help': 'Kazi ni faili katika folda hii:',
  'jobs.job': 'Kazi',
  'jobs.schedule': 'Ratiba',
  'jobs.next': 'Inayofuata',
  'jobs.last': 'Ya mwisho',
  'jobs.open': 'Sasa',
  'jobs.unprocessed': 'Faili zilizobaki',
  'slot.due': 'inasubiri',
  'slot.running': 'inaendelea',
  'slot.done': 'imekamilika',
  'slot.skipped': 'imerukwa',
  'slot.failed': 'imeshindwa',
  'jobs.run': 'Endesha sasa',
  'jobs.run_title': 'Uendeshe {job} sasa?',
  'jobs.run_help': 'Inaendeshwa kama kwenye ratiba yake, na watu wanaarifiwa vilevile.',
  'jobs.run_done': 'Kazi imeendeshwa.',
};
