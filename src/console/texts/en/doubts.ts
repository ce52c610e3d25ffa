/** The doubt desk. */
export const doubts = {
  'doubts.sub': 'Rows that may or may not have been paid, and rows that wait for a decision.',
  'doubts.tab.doubts': 'In doubt',
  'doubts.tab.held': 'Held',
  'doubts.none': 'No row is in doubt',
  'doubts.none_help': 'The outcome of every payment is known, or is still being followed.',
  'doubts.rows': 'Rows in doubt',
  'doubts.sum': 'Their total',
  'doubts.oldest': 'The oldest',
  'doubts.age': '{time} ago',
  'doubts.since': 'In doubt since',
  'doubts.evidence': 'What the service said',
  'doubts.not_whole':
    '{count, plural, one {Only the first # row is listed and added up.} other {Only the first # rows are listed and added up.}}',
  'doubts.next_lookup': 'Next look-up:',
  'doubts.left': 'No more look-ups: a person decides',
};
