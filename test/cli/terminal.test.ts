import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { systemTerminal } from '../../src/cli/terminal.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  const through = new PassThrough();
  through.on('data', (text: Buffer) => written.push(String(text)));
  return { written, stream: Object.assign(through, { isTTY, getColorDepth: () => 8, hasColors: () => true }) };
}

test('an answer that goes into a file has no colours, though a person watches stderr', () => {
  const [stdin, stdout, stderr] = [stream(true), stream(false), stream(true)];
  const terminal = systemTerminal({ stdin: stdin.stream, stdout: stdout.stream, stderr: stderr.stream });
  const red = terminal.paint('red', 'x');
  assert.notEqual(red, 'x');
  terminal.print(`${red}\n`);
  terminal.error(`${red}\n`);
  assert.deepEqual([stdout.written, stderr.written], [['x\n'], [`${red}\n`]]);
});
