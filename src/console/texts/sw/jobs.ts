import type { jobs as english } from '../en/jobs.ts';

export const jobs: Record<keyof typeof english, string> = {
  'jobs.sub': 'Kinachoendeshwa bila mtu kuangalia.',
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
};
