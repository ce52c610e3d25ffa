/** Why a whole file cannot be paid, and what a person should know about one, by code. */
export const reasons = {
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
  'reason.COLUMN_MISSING':
    'No column was found for: {fields}. The first line must name the columns; it reads: {header}',
  'reason.COLUMN_UNCLEAR': 'Each of the columns {columns} could be: {field}.',
  'reason.COLUMN_TWICE': 'Two columns are named “{column}”. Give each of them a name of its own in the first line.',
  'reason.COLUMN_HIDDEN':
    'The column “{column}” could be: {field}. The sheet hides it: show it, and check what is in it.',
  'reason.COLUMN_UNKNOWN': 'The column “{column}” was chosen for {field}, but the file has no such column.',
  'reason.COLUMN_NAME': 'A column is named “{column}”, which is not allowed. Give it another name.',
  'reason.COLUMN_SHARED': 'The column “{column}” is read as more than one thing: {fields}.',
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
    'The total in line {line} cannot be compared with the rows: the amount in line {other_line} cannot be read.',
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
};
