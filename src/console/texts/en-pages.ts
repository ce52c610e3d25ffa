import { approval } from './en/approval.ts';
import { audit } from './en/audit.ts';
import { batch } from './en/batch.ts';
import { doubts } from './en/doubts.ts';
import { draft } from './en/draft.ts';
import { events } from './en/events.ts';
import { jobs } from './en/jobs.ts';
import { reconciliation } from './en/reconciliation.ts';
import { reports } from './en/reports.ts';
import { rows } from './en/rows.ts';
import { settings } from './en/settings.ts';
import { situation } from './en/situation.ts';
import { wallets } from './en/wallets.ts';
import { refusalTexts } from './en-refusals.ts';

/** What can be wrong with a row, by the code of the problem: in one sentence, and with what the row shows. */
const problems = {
  'problem.ROW_TOO_LONG': 'The row has more cells than the header',
  'problem.ROW_TOO_LONG.more':
    'It has {cells} cells, and the file has {columns, plural, one {# column} other {# columns}}: values may stand in the wrong ones.',
  'problem.ROW_CUT_SHORT': 'The file ends in the middle of the row',
  'problem.ROW_CUT_SHORT.more': 'It has {cells} of {columns} cells. Export the file again: more rows may be missing.',
  'problem.ROW_SWALLOWED': 'A cell seems to hold further rows of the file',
  'problem.ROW_SWALLOWED.more': 'Remove the quotation mark that is not closed.',
  'problem.QUOTE_STRAY': 'A stray quotation mark makes it unclear where a cell ends',
  'problem.FORMULA_WITHOUT_VALUE': 'A cell holds a formula instead of its value',
  'problem.FORMULA_WITHOUT_VALUE.more': 'Write the value that the spreadsheet shows.',
  'problem.PHONE_MISSING': 'The phone number is missing',
  'problem.PHONE_NOT_A_NUMBER': 'The phone number contains characters that are not digits',
  'problem.PHONE_NOT_A_NUMBER.more': 'Write it with its country code and digits only, such as +254712345678.',
  'problem.PHONE_DIGITS_LOST': 'A spreadsheet has destroyed digits of the phone number',
  'problem.PHONE_DIGITS_LOST.more': 'Get the number from its source again: the lost digits cannot be restored.',
  'problem.PHONE_ROUNDED': 'A spreadsheet may have rounded the phone number',
  'problem.PHONE_ROUNDED.more': 'Compare it with its source.',
  'problem.PHONE_SEVERAL': 'The cell holds more than one phone number',
  'problem.PHONE_SEVERAL.more': 'Give each number a row of its own.',
  'problem.PHONE_NEEDS_COUNTRY': 'The phone number has no country code, and its country is not known',
  'problem.PHONE_NEEDS_COUNTRY.more': 'Add the country code, or choose the country for the whole file.',
  'problem.PHONE_AMBIGUOUS': 'The phone number can be read in two ways',
  'problem.PHONE_AMBIGUOUS.more': 'It can be {one} or {other}.',
  'problem.PHONE_INVALID': 'There is no such phone number',
  'problem.PHONE_INVALID.more':
    '{why, select, short {It is too short: a digit may be missing.} long {It is too long: it may have a digit too many.} nowhere {No country has numbers like this.} other {Its first digits belong to no network.}}',
  'problem.PHONE_NOT_MOBILE': 'The phone number is not a mobile number',
  'problem.PHONE_NOT_MOBILE.more': 'Airtime goes to mobile phones only.',
  'problem.PHONE_OTHER_COUNTRY': 'The phone number belongs to another country than the row says',
  'problem.PHONE_OTHER_COUNTRY.more': 'It belongs to {country}, and the row says {row_country}.',
  'problem.COUNTRY_UNKNOWN': 'There is no such country',
  'problem.COUNTRY_UNKNOWN.more': 'Write the two-letter code, such as KE for Kenya.',
  'problem.COUNTRY_NOT_ALLOWED': 'The country is not among those allowed',
  'problem.COUNTRY_NOT_ALLOWED.more': '{country} may not be paid by this installation.',
  'problem.NETWORK_MISSING': 'The network is missing',
  'problem.NETWORK_MISSING.more': 'Fill it in, or choose it for the whole file.',
  'problem.NETWORK_UNKNOWN': 'There is no such network in the country of the number',
  'problem.NETWORK_UNKNOWN.more': 'In {country}: {networks}.',
  'problem.NETWORK_AMBIGUOUS': 'The name fits more than one network',
  'problem.NETWORK_AMBIGUOUS.more': 'Write the id of the right one: {networks}.',
  'problem.NETWORK_UNRESOLVED': 'The network is given by name, and the service did not give its list of networks',
  'problem.NETWORK_UNRESOLVED.more': 'Try again later, or write its id.',
  'problem.NOTHING_TO_PAY': 'The row has neither an amount nor a product',
  'problem.AMOUNT_AND_PRODUCT': 'The row has both an amount and a product',
  'problem.AMOUNT_AND_PRODUCT.more': 'Leave one of the two cells empty.',
  'problem.AMOUNT_NOT_A_NUMBER': 'The amount is not a number',
  'problem.AMOUNT_NOT_A_NUMBER.more':
    '{why, select, shortened {A spreadsheet has shortened it: digits may be lost.} date {It is a date: a spreadsheet may have changed a number into it.} space {A character was lost when the file was saved, perhaps a space between thousands. Save it as “CSV UTF-8”, or write the amount without it.} percent {It is a percentage.} format {The sheet shows another number than the cell holds.} other {Write it with digits and a decimal point, such as 1250.50.}}',
  'problem.AMOUNT_AMBIGUOUS': 'The amount can be read in two ways',
  'problem.AMOUNT_AMBIGUOUS.more':
    '{why, select, split {It can be {one}, or {other} that was split into two cells.} other {It can be {one} or {other}. Choose the decimal sign.}}',
  'problem.AMOUNT_DECIMALS': 'The amount has more decimals than its currency allows',
  'problem.AMOUNT_DECIMALS.more':
    '{currency} has {decimals, plural, one {# decimal} other {# decimals}}: round the amount.',
  'problem.AMOUNT_NOT_POSITIVE': 'The amount is zero or negative',
  'problem.AMOUNT_TOO_SMALL': 'The amount is below the configured minimum',
  'problem.AMOUNT_TOO_SMALL.more': 'One row may get {amount} {currency} at least.',
  'problem.AMOUNT_TOO_LARGE': 'The amount is above the maximum',
  'problem.AMOUNT_TOO_LARGE.more':
    '{why, select, limit {One row may get {amount} {currency} at most.} other {It is larger than any top-up: check that it is in the right column.}}',
  'problem.CURRENCY_MISSING': 'The currency is missing',
  'problem.CURRENCY_MISSING.more':
    '{why, select, franc {It can be XOF (West Africa) or XAF (Central Africa).} other {Write the three-letter code, such as {example}, or choose it for the whole file.}}',
  'problem.CURRENCY_UNKNOWN': 'There is no such currency',
  'problem.CURRENCY_CONFLICT': 'Two currencies are named for one amount',
  'problem.CURRENCY_CONFLICT.more': 'The currency is {currency}, and the amount is written with {written}.',
  'problem.CURRENCY_OF_OTHER_COUNTRY': 'The network is paid in another currency',
  'problem.CURRENCY_OF_OTHER_COUNTRY.more': 'It is paid in {network_currency}, and the amount is in {currency}.',
  'problem.PRODUCT_INVALID': 'This cannot be the id of a product',
  'problem.PRODUCT_UNKNOWN': 'The network has no such product',
  'problem.REFERENCE_INVALID': 'The reference cannot be used',
  'problem.REFERENCE_INVALID.more': 'Give the row another one, or leave the cell empty.',
  'problem.REFERENCE_TWICE': 'More than one row has the same reference',
  'problem.REFERENCE_TWICE.more': 'Line {other_line} of the file has it, too: give each row its own, or leave one out.',
  'problem.SMS_NOT_A_TEXT': 'The text message is only a yes or no',
  'problem.SMS_NOT_A_TEXT.more': 'The cell itself would be sent: write the text, or leave it empty.',
  'problem.SMS_TOO_LONG': 'The text message is too long',
  'problem.SMS_TOO_LONG.more': 'It has {length} characters, and {most} can be sent.',
  'problem.TOTAL_LINE': 'The line is the total of the rows',
  'problem.DUPLICATE': 'The same number gets the same payment twice',
  'problem.DUPLICATE.more':
    'Line {other_line} of the file pays the same: leave one out, or have it released after the approval.',
  'problem.NUMBER_MAXIMUM': 'One number gets more than the configured maximum',
  'problem.NUMBER_MAXIMUM.more': 'One number may get {amount} {currency} from a file.',
  'problem.ALREADY_PAID': 'An earlier batch of the run has paid this row',
  'problem.ALREADY_PAID.more':
    'In batch {batch}, {earlier_line, select, none {row {row}} other {line {earlier_line} of its file}}.',
  'problem.ALREADY_SENT': 'An earlier batch of the run has sent this row, and it is not finished',
  'problem.FAILED_BEFORE': 'An earlier batch of the run tried this row, and it failed',
  'problem.MAY_BE_PAID': 'The row failed before, but the service now says that it may be paid',
  'problem.NOT_LOOKED_UP': 'The service did not say whether this row was already paid',
  'problem.REFERENCE_REUSED': 'An earlier batch of the run used the reference for another payment',
  'problem.SENT_LATELY': 'Another batch recently sent this number the same payment',
  'problem.SENT_LATELY.more':
    '{why, select, sent {On {day}, in batch {batch}, {earlier_line, select, none {row {row}} other {line {earlier_line} of its file}}.} lost {On {day}, by a payment that only the service knows.} other {The list of the service could not be read.}}',
  'problem.PAID_OTHERWISE': 'The run has already sent this number another payment, which is not in this file',
  'problem.RECIPIENT_MAXIMUM': 'With this row the number would get more than the maximum over all batches',
  'problem.RECIPIENT_MAXIMUM.more':
    'It would get {sum} {currency} within {days, plural, one {# day} other {# days}}, and {amount} {currency} are allowed.',
  'problem.SKIPPED_BY_PERSON': 'A person decided not to pay this row',
};

/** Why a whole file cannot be paid, and what a person should know about one, by code. */
const reasons = {
  'draft.not_payable': 'The file cannot be paid as it is',
  'reason.EMPTY': 'The file is empty.',
  'reason.NO_ROWS': 'The file has a header, but no rows below it.',
  'reason.NOT_A_TABLE':
    'This is {kind, select, pdf {a PDF document} old_excel {an old Excel workbook (.xls), or one with a password} image {an image} page {a web page} spreadsheet {a spreadsheet of another program} archive {a packed file} other {another kind of file}}, not a table. Save the table as an Excel workbook (.xlsx) or as “CSV UTF-8”.',
  'reason.ENCODING':
    'The text of the file cannot be read: the file is damaged, or its encoding is unknown. Save it again as “CSV UTF-8”.',
  'reason.DAMAGED': 'The file is damaged, or a part of it is missing. Save it again, and upload that file.',
  'reason.PACKED_TWICE': 'The file is packed twice. Unpack it once, and upload the file inside.',
  'reason.TOO_LARGE': 'The file is larger than {bytes}. Split it, or save a workbook as “CSV UTF-8”.',
  'reason.TOO_MANY_ROWS': 'The file has more than {rows} rows. Split it.',
  'reason.TOO_WIDE': 'The file has more than {columns} columns. Remove those that nobody needs.',
  'reason.QUOTE_OPEN':
    'A quotation mark (") is not closed in the row that begins on line {line}. Correct it, or save the table again.',
  'reason.ONE_COLUMN':
    'The whole table stands in one column. In a spreadsheet, use “Text to Columns”, and save it again.',
  'reason.HEADER_LINE': 'Line {line} was named as the header, but it is empty or does not exist.',
  'reason.COLUMN_MISSING': 'No column was found for: {fields}. The line of the column names reads: {header}',
  'reason.COLUMN_UNCLEAR': 'Each of the columns {columns} could be: {field}.',
  'reason.COLUMN_TWICE': 'Two columns are named “{column}”. Give each of them a name of its own.',
  'reason.COLUMN_HIDDEN':
    'The column “{column}” could be: {field}. The sheet hides it: show it, and check what is in it.',
  'reason.COLUMN_UNKNOWN': 'The column “{column}” was chosen for {field}, but the file has no such column.',
  'reason.COLUMN_NAME': 'A column is named “{column}”, which is not allowed. Give it another name.',
  'reason.COLUMN_SHARED': 'The column “{column}” is read as more than one thing: {fields}.',
  'reason.OWN_RESULTS':
    'These are the results of a batch, with rows that were paid: not a file to pay. To correct rows, use a copy of failed.csv or failed.xlsx.',
  'reason.CURRENCY_UNREAD':
    'The currency may stand in the column {columns}, which is not read. Choose what the column means.',
  'reason.SHEET_UNKNOWN': 'The workbook has no sheet “{sheet}”. Its sheets are: {sheets}.',
  'reason.SHEET_UNCLEAR': 'More than one sheet has rows to pay: {sheets}. Choose one of them.',
  'reason.SUM_TOO_LARGE': 'The amounts add up to more than {amount} {currency}, the maximum of one file. Split it.',
  'reason.ROWS_EXPECTED':
    'The file should have {expected} rows, but it has {rows}. It may have been cut short: export it again.',
  'reason.SUM_EXPECTED':
    'The amounts should add up to {amount} {currency}, but they add up to {sum} {currency}. The file may have been cut short: export it again.',
  'reason.END_MISSING':
    'The last line of the file does not begin with “{word}”. The file may have been cut short: export it again.',
  'reason.END_ROWS':
    'The last line ({line}) says how many rows the file has: {stated}. But it has {rows}. It may have been cut short: export it again.',
  'reason.END_SUM':
    'The last line ({line}) states the sum {stated}, but the amounts add up to {written}. The file may have been cut short: export it again.',
  'reason.TOTAL_UNREADABLE':
    'The total in line {line} cannot be compared with the rows: the amount in line {other_line} or its currency cannot be read.',
  'reason.TOTAL_CURRENCY': 'The total in line {line} names no currency, but the rows above it are in {currencies}.',
  'reason.TOTAL_WRONG': 'The total in line {line} is {stated}, but the rows above it add up to {written}.',
  'reason.TOTAL_PARTIAL':
    'The last total, in line {line}, does not count all rows. Rows with an amount below it: {rows}.',
  'reason.ABOVE_HEADER': 'The lines above the header, up to line {line}, were not read: {texts}',
  'reason.SHEETS_UNREAD': 'Only the sheet “{sheet}” was read. Not read: {sheets}.',
  'reason.ROWS_HIDDEN':
    'Rows that the sheet hides are read like the others: {count}, the first in line {line}. Remove what should not be paid.',
  'reason.ROWS_STRUCK':
    'Rows that are struck through in the sheet are read like the others: {count}, the first in line {line}. Remove what should not be paid.',
  'reason.DATES':
    'References that the sheet holds as dates are read as it shows them: {count}, the first in line {line} (“{text}”). Spreadsheets make dates of texts such as “1-24”.',
  'reason.OWN_BATCH':
    '{did, select, prepared {You prepared this batch} other {You submitted this batch}} (as {name}): another person must decide.',
  'reason.OWN_RELEASE':
    'With these rows, the batch needs approval, and {did, select, prepared {you prepared it} other {you submitted it}} (as {name}): another person must release them.',
  'reason.TIER_RELEASE':
    'With these rows, the batch needs approval by {approvers} people. Release fewer, or skip them and submit the file again.',
  'reason.APPROVED_ALREADY': 'You have approved this batch already (as {name}): now another person must.',
  'reason.APPROVAL_NEEDED': 'This batch needs approval by another person.',
  'reason.NEXT_COMPARE': 'Compare it by hand, and ask the service with the top-up id.',
  'reason.NEXT_AMOUNT': 'Stop paying from this account, and ask the service with the top-up id.',
  'reason.NEXT_COST': 'Ask the service which is right: a charge may have been corrected afterwards.',
  'reason.NEXT_REFUNDED': 'The recipient may not have the airtime. If so, pay it again under a new reference.',
  'reason.NEXT_DUPLICATED':
    'The row may be paid twice: stop paying from this account, and ask the service to reverse one payment.',
  'reason.NEXT_REFERENCE': 'Ask the service with the reference.',
  'reason.NEXT_OTHER_PROGRAM': 'Find out who else uses this account.',
  'reason.NEXT_OTHER_LEDGER':
    'Look for another ledger of yours that pays from this account: a second installation, or a restored backup.',
  'reason.NEXT_UNREADABLE': 'Ask the service what it is, with the top-up id.',
  'reason.NEXT_EARLIER':
    'An earlier payment of this row counted as failed, and the row was sent again: it may be paid twice. Ask the service to reverse one payment.',
  'reason.NEXT_UNPAID': 'The service no longer says that it was paid: ask it with the top-up id.',
  'reason.NEXT_MAYBE_PAID':
    'The service may have paid it: do not pay it again, and ask the service with the top-up id.',
  'reason.NEXT_RESOLVE': 'A person decides about row {row}: open it.',
  'reason.NEXT_LOOK_UP': 'It can still change. To look row {row} up again now, open it, or resume its batch.',
};

/** What a slot of a job has brought, why it has not, or what it waits for, by code. */
const slots = {
  'reason.FILE_MISSING': 'There is no file {file} in {folder}.',
  'reason.FILE_FOLDER': '{file} is a folder, not a file.',
  'reason.UNREADABLE': 'The file could not be read: {error}.',
  'reason.READING_ABANDONED': 'The program ended while it was reading the file. Submit the file again.',
  'reason.SLOT_BATCH':
    '{why, select, waits {{file} is batch {batch}, which waits for approval. Rows to pay: {rows}.} other {{file} is batch {batch}. Rows to pay: {rows}.}}',
  'reason.SLOT_SAME_ROWS': 'Rows that are also in batch {batch} of this run: {rows}. Each is paid once.',
  'reason.SLOT_TEXTS_LOST': 'Rows whose text message is not sent, because version 1 sends its own: {rows}.',
  'reason.SLOT_LATE': 'It will be finished at about {done_at}, which is late: it was due at {due_at}.',
  'reason.SLOT_LATE_UNKNOWN': 'It should be finished by {due_at}; whether it will be is not known.',
  'reason.SLOT_MAKES_LATE':
    'It makes batch {batch} late, which will be finished at about {done_at} and was due at {due_at}.',
  'reason.SLOT_REJECTED': '{file} could not be read.',
  'reason.SLOT_CORRECT': 'Correct the file and put it into the inbox before you run the job again.',
  'reason.SLOT_NOT_ARCHIVED': '{file} could not be moved away: {error}.',
  'reason.SLOT_NOT_TAKEN':
    '{file} cannot be imported: {why, select, link {it is a link. Put the file itself there.} name {its name cannot be read. Give it another.} other {{error}.}}',
  'reason.SLOT_NOT_BROUGHT': 'These files have not been imported and are still in “working”: {files}.',
  'reason.SLOT_NO_FILE': 'There is no file.',
  'reason.SLOT_WRITING': 'These files are still being written: {files}.',
  'reason.SLOT_OTHER_NAMES': 'The inbox has files whose name does not fit “{pattern}”: {files}.',
  'reason.SLOT_NOT_FILES': 'These entries of the inbox are not paid, because they are not files: {files}.',
  'reason.SLOT_BEFORE': 'Its files were imported before.',
  'reason.SLOT_PARTIAL':
    '{file} was still being written when it was read, and batch {batch} has only a part of it. Put the whole file into the inbox and run the job again: what was paid is skipped.',
  'reason.SLOT_COMMAND':
    'The command {program} gave no file: {why, select, exit {it failed with code {end}.} exit_said {it failed with code {end} and said “{error}”.} size {it wrote more than {limit} MiB and was stopped.} time {it took longer than {limit} s and was stopped.} stopped {it was stopped with airbatch.} other {{error}.}}',
  'reason.SLOT_FOLDER':
    'The folder {folder} cannot be used: {why, select, gone {it is gone.} inbox {its “inbox” no longer exists.} other {{error}.}}',
  'reason.SLOT_RECONCILED':
    'Payments compared: {count}. {why, select, agrees {Everything agrees.} no_wallets {Ledger and service agree; the wallets were not compared.} open {Some need a person to look at them.} other {The wallets do not add up.}} Report: {folder}',
  'reason.SLOT_BACKUP':
    '{file} is made; older backups removed: {count}. {why, select, made {It was not tried.} good {It can be restored.} other {The ledger in it does not agree with its audit chains.}}',
  'reason.SLOT_MISSED': 'Missed while no program was running, and not run afterwards.',
  'reason.SLOT_STOPPED': 'It was stopped with airbatch, and goes on at the next start.',
  'reason.SLOT_RETRIED': 'It was tried again for {minutes, plural, one {# minute} other {# minutes}}.',
  'reason.SLOT_TROUBLE':
    '{code, select, ACCOUNT_BUSY {Another program is working for this account.} CREDENTIALS_REJECTED {The service refuses the account’s credentials.} FENCED {Another process has taken over.} LEDGER_BUSY {Another program is using the ledger.} LEDGER_FULL {The disk of the ledger is full.} LEDGER_IO {The ledger could not be written.} SERVICE_UNREACHABLE {The service does not answer.} other {{error}}}',
};

/** The texts of failures, and of pages that are not opened first: such a page loads them (`pages.ts`). */
export const texts = {
  ...wallets,
  ...situation,
  ...rows,
  ...jobs,
  ...events,
  ...doubts,
  ...batch,
  ...approval,
  ...audit,
  ...draft,
  ...reconciliation,
  ...reports,
  ...settings,
  ...problems,
  ...reasons,
  ...slots,
  ...refusalTexts,
};
