import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Command } from 'commander';
import { addIntakeOptions } from '../../../src/cli/base/intake-options.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { errorTable } from '../../../src/core/basics/errors.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/commands.md'), 'utf8');
const program = buildProgram(() => async () => undefined, {});

/** The sections of the document by their headings, with the rows of their tables: the first cell is code. */
const sections = new Map(
  text.split(/^##+ /m).map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const rows = lines
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    return [
      heading.replaceAll('`', ''),
      rows.map(([, first = '', ...others]) => [first.replaceAll('`', ''), ...others]),
    ];
  }),
);
const firstCells = (heading: string) => (sections.get(heading) ?? []).map(([first]) => first);
const flagsOf = (command: Command) => command.options.map(({ flags }) => flags);
const names = program.commands.map((command) => command.name());

/** A command as its heading has it: "release <batch> [rows...]". */
function usageOf(command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(' ');
}

describe('docs/commands.md', () => {
  test('explains the options of every command', () => {
    assert.deepEqual(
      firstCells('Global options'),
      flagsOf(program).filter((flags) => flags !== '--version'),
    );
    assert.ok(text.includes('`airbatch --version`'));
  });

  const intake = flagsOf(addIntakeOptions(new Command()));
  test('lists the options of files, and the commands that have them', () => {
    assert.deepEqual(firstCells('How a file is read'), intake);
    const [, told = ''] = /^(.*) take these\./m.exec(text) ?? [];
    const taking = program.commands.filter((command) => intake.every((flags) => flagsOf(command).includes(flags)));
    assert.deepEqual(
      [...told.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort(),
      taking.map((one) => one.name()).sort(),
    );
  });

  for (const command of program.commands)
    test(`lists ${command.name()} with its options, and no other`, () => {
      const flags = flagsOf(command);
      const takesFiles = intake.every((one) => flags.includes(one));
      assert.ok(sections.has(usageOf(command)), `there is no section "${usageOf(command)}"`);
      assert.deepEqual(
        firstCells(usageOf(command)),
        flags.filter((one) => !takesFiles || !intake.includes(one)),
      );
    });

  test('lists every command once, with its exit codes and its JSON, and no other', () => {
    const headings = [...text.matchAll(/^### `([^ `]+)[^`]*`$/gm)].map(([, name = '']) => name);
    assert.deepEqual([...headings].sort(), [...names].sort());
    assert.deepEqual(firstCells('Exit codes').sort(), [...names].sort());
    assert.deepEqual(firstCells('JSON').sort(), [...names].sort());
  });

  test('lists every error with its exit code and what to do, in the order of the program', () => {
    assert.deepEqual(
      sections.get('Errors')?.map((row) => row.slice(0, 3)),
      Object.entries(errorTable).map(([code, { exitCode, hint }]) => [code, String(exitCode), hint]),
    );
  });

  test('shows the shape of an error as the program prints it', async (t) => {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'one.csv'), 'phone_number,network_id,amount,currency\n+254712101001,1,10,KES\n');
    await runHere(['submit', 'one.csv', '--account', 'sandbox'], { cwd: folder });
    const { code, stdout } = await runHere(['status', 'NOPE', '--json'], { cwd: folder });
    const [, example = ''] = /```json\n(.*?)```/s.exec(text) ?? [];
    assert.deepEqual(JSON.parse(stdout), JSON.parse(example));
    assert.equal(code, errorTable.BATCH_UNKNOWN.exitCode);
  });
});
