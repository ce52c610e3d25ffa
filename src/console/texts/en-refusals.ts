/** What went wrong, by the code of an error. */
const failures = {
  'failure.role': 'Your role does not allow this.',
  'failure.changed': 'Somebody has changed this since you opened it. Look at it again before you decide.',
  'failure.unfinished': 'The server was interrupted while it did this. Look whether it was done; if not, try again.',
  'failure.unknown': 'There is nothing at this address, or it belongs to an account that you cannot see.',
  'failure.too_large': 'That is more than the server accepts at once. Split the file.',
  'failure.draft_state': 'This file can no longer be changed here. Upload it again.',
  'failure.expired': 'The batch has waited for too long. Reject it, and submit the file again.',
  'failure.run_id': 'A run id has 1 to 64 letters, digits, “.”, “_” or “-”, and begins with a letter or a digit.',
  'failure.busy': 'Another program is working for this account. Try again later.',
  'failure.service': 'The service does not answer. Try again later.',
  'failure.credentials': 'The service does not accept the account’s credentials. An administrator must correct them.',
  'failure.state': 'The batch or the row is in a state in which this is not possible. Look at it again.',
  'failure.refused': 'The server did not accept this. Check what you have entered, then try again.',
  'failure.config': 'The configuration of the server is wrong. An administrator must correct it.',
  'failure.not_releasable':
    'This row cannot be released here: another batch has its reference. Decide about it there, and skip it here.',
  'failure.second_person': 'Another person must do this.',
  'failure.service_changed':
    'The account now points to another service than the one of this batch. An administrator must correct it.',
  'failure.unreadable': 'The file or the folder cannot be read.',
  'failure.file': 'The file cannot be paid as it is. Correct it, and upload it again.',
  'failure.ledger': 'The ledger cannot be used. An administrator must look at it; until then nothing is sent.',
  'failure.ledger_full': 'The disk of the ledger is full. An administrator must make room; nothing more was sent.',
  'failure.ledger_io': 'The ledger could not be written. An administrator must check its disk.',
  'failure.ledger_busy': 'Another program is using the ledger. Try again later.',
  'failure.backup': 'This backup cannot be used. Take another one.',
  'failure.folder': 'The folder cannot be written to. An administrator must correct it; the ledger has everything.',
  'failure.fenced': 'Another process has taken over the work. Try again.',
  'failure.session': 'Your session does not fit this page any more. Reload the page, and sign in.',
  'failure.provider': 'The identity provider does not answer. Try again later.',
  'failure.factor': 'Your app with codes can no longer be checked. An administrator must reset your access.',
  'failure.shown_once': 'This was shown once, and cannot be shown again. Make a new one.',
  'failure.details': 'For support, in English',
  'failure.system': 'The operating system reports: {what}.',
  'system.full': 'the disk is full ({code})',
  'system.forbidden': 'access is not permitted ({code})',
  'system.read_only': 'the disk cannot be written to ({code})',
  'system.missing': 'it does not exist ({code})',
  'system.exists': 'it exists already ({code})',
  'system.busy': 'another program is using it ({code})',
  'system.disk': 'the disk has an error ({code})',
  'system.network': 'there is no connection ({code})',
  'system.other': 'an error ({code})',
};

/** Why a person's request is refused, by code. */
const refusals = {
  'reason.BATCH_IS': 'The state of the batch is “{batch_status}”, which does not allow this.',
  'reason.BATCH_CHANGED': 'The batch has changed meanwhile. Look at it again.',
  'reason.BATCH_PAUSED': 'A person has already paused the batch.',
  'reason.BATCH_NOT_PAUSED': 'Pause the batch first: its rows may be sent at any moment.',
  'reason.BATCH_FORGOTTEN': 'The names and numbers of this batch were erased: its rows cannot be paid again.',
  'reason.NOT_SUBMITTER': 'Only {name}, who submitted the batch, can withdraw it.',
  'reason.ROW_IS': 'The state of row {row} is “{row_status}”, not “{wanted_status}”.',
  'reason.ROW_CHANGED': 'Row {row} has changed meanwhile. Look at it again.',
  'reason.ROW_LOOKED_UP': 'Row {row} is still being looked up. Decide only if the look-ups find nothing.',
  'reason.ROW_TOO_EARLY':
    'The service accepted row {row} at {sent_at} and may still report its result. You can decide from {from_at} on.',
  'reason.ROW_UNANSWERED':
    'The service does not say where row {row} stands. Try again later; from {from_at} on, you can decide without its answer.',
  'reason.ROW_ANSWERED':
    '{why, select, own {The service now says “{service_status}” of row {row}. It is looked up again.} other {The service has another payment of row {row} ({topup_id}): “{service_status}”. It may have paid the row: ask the service.}}',
  'reason.ROW_LEFT_OUT': 'Row {row} is left out of the file. Put it back first.',
  'reason.REPORTS_MISSING': 'There are no such reports of the batch yet. Write them first.',
  'reason.PERSON_EXISTS': 'There is already a person with the name {name} or with this e-mail address.',
  'reason.PERSON_UNKNOWN': 'There is no person with the name {name}.',
  'reason.EMAIL_TAKEN': 'Another person has this e-mail address.',
  'reason.LAST_ADMIN': '{name} is the only administrator. Make another person an administrator first.',
  'reason.NAME_MISSING': 'Choose a name.',
  'reason.APP_EXISTS': 'You already have an app with codes. Remove it first.',
  'reason.API_KEY_EXISTS': 'There is already a key with the name {name}. Choose another name, or revoke that key.',
  'reason.API_KEY_UNKNOWN': 'There is no key with the name {name}, or it is revoked already.',
  'reason.SESSION_ENDED': 'This session has ended already.',
  'reason.OWNER_UNFIT':
    '{name} cannot take care of these rows. Choose a person with the role “operate” or “resolve” for this account.',
  'reason.NUMBER_UNPAYABLE': 'This is not a phone number that can be paid. Write it with “+” and its country code.',
  'reason.ENDPOINTS_MAX': 'There are already as many endpoints as possible: {count}. Delete one first.',
  'reason.ENDPOINT_LOCAL': 'This address is the server’s own. An administrator must allow private addresses.',
  'reason.ENDPOINT_DISABLED': 'The endpoint is disabled. Enable it first.',
  'reason.TIME_PAST': 'This time is past. Choose a time to come.',
  'reason.TIMES_BACKWARDS': 'The end is before the beginning. Choose the earlier time first.',
  'reason.DAY_TO_COME': 'This day is still to come. Choose a day that has begun.',
  'reason.LINE_UNKNOWN': 'This line no longer exists. Compare again.',
  'reason.JOB_UNKNOWN': 'There is no job with the name {job} any more.',
  'reason.FIX_UNFIT': 'These rows cannot be corrected in this way, or with this value.',
  'reason.COLUMNS_UNCLEAR': 'First choose what each column means.',
  'reason.INPUT_REFUSED': 'The server does not accept what you have entered. Check this: {fields}.',
  'reason.DOUBT_OPEN': 'It is not known whether this was paid. airbatch looks it up again.',
  'reason.DOUBT_INTERRUPTED': 'The program ended while this was being sent. airbatch looks up whether it was paid.',
  'reason.DOUBT_OTHER':
    'A person must decide: under the reference of row {row} of batch {batch}, the service has {difference, select, reference {another reference} phone_number {another phone number} product {another product} currency {another currency} other {another amount}}.',
  'reason.DOUBT_SEVERAL':
    'A person must decide: the service has several payments under the reference of row {row} of batch {batch}: {count}.',
  'reason.DOUBT_UNFOUND': 'A person must decide: the answer of the service contradicts itself.',
  'reason.DOUBT_SAME_ERROR':
    'A person must decide: the service gave the same error ({http_status}) again and again, {times, plural, one {# time} other {# times}}. It may be a stored answer.',
  'reason.DOUBT_NOT_FOUND':
    'A person must decide: it was sent {times, plural, one {# time} other {# times}}, and no look-up found it.',
  'reason.DOUBT_KEY_OLD':
    'A person must decide: it is too old to be sent again safely, and the service does not have it.',
  'reason.DOUBT_REFUSED': 'A person must decide: the service refused it as often as it may be tried.',
  'reason.DOUBT_UNANSWERED': 'A person must decide: the service answered no look-up for a day ({code}).',
  'reason.DOUBT_RESTORED':
    'A person must decide: the service has the payment {topup_id}, which the restored ledger does not have.',
  'reason.DOUBT_EARLIER':
    'A person must decide: the service says “{service_status}” of an earlier attempt (number {generation}).',
  'reason.DOUBT_PAID_BEFORE':
    'A person must decide: by what the service now says, row {row} of batch {batch} may have paid the same.',
  'reason.ROW_OVERDUE': 'The service has not reported a result within the time that it promises.',
  'reason.PAUSE_FAILURES': 'Failed rows among the last {rows}: {failed}. No more than {percent}% are allowed.',
  'reason.PAUSE_FIRST_ROWS': 'Failed rows among the first {rows}: {failed}. These are sent alone first, as a test.',
  'reason.PAUSE_COST':
    'Row {row} cost {cost} {currency}, and row {other_row} of the same kind {other_cost} {currency}.',
  'reason.PAUSE_SPENT':
    '{spent} {currency} were spent{why, select, products {, products not counted} other {}}; {approved} {currency} were approved.',
  'reason.PAUSE_OTHER':
    'For row {row} of batch {batch}, the service has {difference, select, reference {another reference} phone_number {another phone number} product {another product} currency {another currency} amount {another amount} other {another payment}}.',
  'reason.PAUSE_PAID_TWICE':
    'Row {row} of batch {batch} may have been paid twice: the service has the payment {topup_id}, too.',
  'reason.PAUSE_MOVED': 'The batch was made for {service}; the account {account} is at {other_service} now.',
  'reason.PAUSE_SHORT':
    'For the whole batch, {missing} are missing; nothing was sent.{others, select, none {} other { Other batches still need {others}.}}',
  'reason.PAUSE_REFUSED': 'The service says: “{message}” ({service_code}).',
  'reason.APPROVAL_ALWAYS':
    'By the rules of this installation, {approvers, plural, one {another person must approve it} other {# other people must approve it}}.',
  'reason.APPROVAL_ROWS':
    'Rows to pay: {rows}. Above {most_rows}, {approvers, plural, one {another person must approve it} other {# other people must approve it}}.',
  'reason.APPROVAL_SUM':
    'It pays {amount} {currency}. Above {most_amount} {currency}, {approvers, plural, one {another person must approve it} other {# other people must approve it}}.',
  'reason.APPROVAL_PRODUCTS':
    'It buys products, whose prices only the service knows: {approvers, plural, one {another person must approve it} other {# other people must approve it}}.',
};

/** The texts of failures and refusals: loaded with those of the later pages, or with the first failure. */
export const refusalTexts = { ...failures, ...refusals };
