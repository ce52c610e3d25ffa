/** The audit log. */
export const audit = {
  'audit.sub': 'Who did what. A change of this log cannot stay hidden: each event is chained to the one before.',
  'audit.tab.batches': 'Batches',
  'audit.tab.access': 'People and access',
  'audit.tab.numbers': 'Complete numbers',
  'audit.numbers_help':
    'Who has seen complete phone numbers of which batch or draft: one event for each person, place and quarter of an hour.',
  'audit.search': 'Search by person, event or detail',
  'audit.batch': 'All events of batch',
  'audit.more': 'The first 1,000 events are shown. The page of the batch has all of them.',
  'audit.none': 'No event matches',
  'audit.check': 'Check all chains',
  'audit.whole':
    'Complete and unchanged: {batches, plural, one {# batch} other {# batches}}, {events, plural, one {# event} other {# events}}',
  'audit.edited': 'Somebody has edited the records of these batches: {batches}. “airbatch audit” says what.',
  'audit.broken_at': 'This log was edited: event {seq} does not follow from the one before.',
};
