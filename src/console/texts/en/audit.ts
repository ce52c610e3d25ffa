/** The audit log. */
export const audit = {
  'audit.sub': 'Who did what, from the chains that no program can edit unseen.',
  'audit.tab.batches': 'Batches',
  'audit.tab.access': 'People and access',
  'audit.search': 'Search by person, event or detail',
  'audit.batch': 'All events of batch',
  'audit.show': 'Show',
  'audit.more': 'The first 1,000 events are shown. The page of the batch has all of them.',
  'audit.none': 'No event fits',
  'audit.check': 'Check all chains',
  'audit.whole': 'Whole: {batches} batches, {events} events',
  'audit.broken_at': 'This log was edited: event {seq} does not follow from the one before.',
};
