import { type Command, Option } from 'commander';

/** Collects the values of an option that may be given several times. */
export const collect = (value: string, values: string[] = []): string[] => [...values, value];

/** Adds the options that control how a file is read, to every command that reads one. */
export function addIntakeOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--map <field=column>',
        'read a field from the column with this name (may be given several times)',
      ).argParser(collect),
    )
    .option('--sheet <name>', 'the sheet of a workbook (default: the first)')
    .option('--header-line <n>', 'the line that has the column names, if there are other lines above it')
    .option('--total-line <what>', '"skip": compare a TOTAL line with the sum of the rows above it, and leave it out')
    .option('--country <code>', 'the country of numbers written without one, such as KE')
    .option('--currency <code>', 'the currency of amounts written without one, such as KES')
    .option('--decimal <sign>', 'the decimal sign, "." or ",", for amounts that can be read in two ways')
    .option('--expect-rows <n>', 'reject the file if it does not have this number of rows')
    .addOption(
      new Option(
        '--expect-sum <sum>',
        'reject the file if its amounts do not add up to this sum, such as KES=12500.00',
      ).argParser(collect),
    );
}
