import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { errorTable } from '../../src/core/basics/errors.ts';
import { root } from './imports.ts';

const folder = join(root, 'docs/runbooks');
const pages = readdirSync(folder).filter((name) => name !== 'README.md');
const program = buildProgram(() => async () => undefined, {});
const parts = ['## What you see', '## What to do', '## How you know that it is over'];

/** The arguments of every "airbatch ..." in code of a page. Texts in quotes are one argument. */
function commandsOf(text: string): string[][] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const inline = [...text.matchAll(/`(airbatch [^`]+)`/g)].map(([, command = '']) => command);
  return [...blocks, ...inline]
    .filter((line) => line.startsWith('airbatch '))
    .map((line) => line.replace(/ > \S+$/, ''))
    .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1));
}

const flagsOf = (command: Command) => command.options.map(({ long }) => long);

/** What of a command line does not exist; null: nothing. */
function faultOf(args: readonly string[]): string | null {
  const known = new Map(program.commands.map((command) => [command.name(), command]));
  const named = args.find((word) => known.has(word));
  const command = known.get(named ?? '');
  const flags = args.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
  const wrong = flags.find((flag) => ![...flagsOf(program), ...(command ? flagsOf(command) : [])].includes(flag));
  if (wrong !== undefined) return `${args.join(' ')}: there is no option ${wrong}`;
  if (!command) return flags.includes('--version') ? null : `${args.join(' ')}: there is no such command`;
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  return args.length - args.indexOf(named ?? '') - 1 < needed ? `${args.join(' ')}: an argument is missing` : null;
}

describe('the runbooks', () => {
  test('are all in the table, which names no other', () => {
    const table = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\(([\w-]+\.md)\)/g)];
    assert.deepEqual(table.map(([, name]) => name).toSorted(), pages.toSorted());
    assert.ok(pages.length >= 12);
  });

  for (const name of pages) {
    const text = readFileSync(join(folder, name), 'utf8');
    test(`${name} says what is seen, what to do and when it is over, in this order`, () => {
      const places = parts.map((part) => text.indexOf(part));
      assert.ok(places.every((place, index) => place > (places[index - 1] ?? 0)));
    });

    // Named as an option alone or as the first word of a sentence, a command may lack its arguments.
    test(`${name} names commands, options, error codes and pages that exist`, () => {
      const commands = commandsOf(text);
      assert.ok(commands.length > 1);
      const faults = commands.map(faultOf).filter((fault) => fault !== null && !/^\w[\w-]*: an argument/.test(fault));
      assert.deepEqual(faults, []);
      const codes = [...text.matchAll(/\b(?:LEDGER|BATCH|BACKUP|CREDENTIALS|CONFIG)_[A-Z]+\b/g)].map(([code]) => code);
      assert.deepEqual(
        codes.filter((code) => !(code in errorTable)),
        [],
      );
      const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
      assert.deepEqual(
        links.filter((link) => !existsSync(join(folder, link))),
        [],
      );
    });
  }
});
