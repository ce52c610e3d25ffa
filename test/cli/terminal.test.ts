import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { systemTerminal } from '../../src/cli/terminal.ts';
import { makeLog } from '../../src/runtime/log.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  const through = new PassThrough();
  through.on('data', (text: Buffer) => written.push(String(text)));
  return { written, stream: Object.assign(through, { isTTY, getColorDepth: () => 8, hasColors: () => true }) };
}

test('an answer that goes into a file has no colours, though a person watches stderr', () => {
  const [stdin, stdout, stderr] = [stream(true), stream(false), stream(true)];
  const terminal = systemTerminal(
    { json: false },
    { stdin: stdin.stream, stdout: stdout.stream, stderr: stderr.stream },
  );
  const red = terminal.paint('red', 'x');
  assert.notEqual(red, 'x');
  terminal.print(`${red}\n`);
  terminal.error(`${red}\n`);
  assert.deepEqual([stdout.written, stderr.written], [['x\n'], [`${red}\n`]]);
});

test('what a screen would obey is shown, on a terminal and off it; lines and our own colours stay', async () => {
  const text = 'Columns    "a\u001b[2J\u0007\u009b1A\u202eb\u001b[8m"\r\n\tnext\u2028';
  const shown = 'Columns    "a\\u001b[2J\\u0007\\u009b1A\\u202eb\\u001b[8m"\\u000d\n\tnext\\u2028';
  for (const isTTY of [true, false]) {
    const [stdin, stdout, stderr] = [stream(isTTY), stream(isTTY), stream(isTTY)];
    const terminal = systemTerminal(
      { json: false },
      { stdin: stdin.stream, stdout: stdout.stream, stderr: stderr.stream },
    );
    const red = isTTY ? terminal.paint('red', '✘') : '✘';
    terminal.print(`${red} ${text}`);
    terminal.error(`${red} ${text}`);
    terminal.draw('\u001b[2A');
    assert.deepEqual(
      [stdout.written.join(''), stderr.written.join('')],
      [`${red} ${shown}`, `${red} ${shown}\u001b[2A`],
    );
  }
});

test('what a person reads fits the screen; what goes into a file or to a program has whole lines', () => {
  const [text, broken] = ['Next       resume it', 'Next       resume\n           it'];
  const printed = (json: boolean, isTTY: boolean) => {
    const [stdin, stdout, stderr] = [stream(true), stream(isTTY), stream(isTTY)];
    for (const { stream: output } of [stdout, stderr]) Object.assign(output, { columns: 18 });
    const terminal = systemTerminal({ json }, { stdin: stdin.stream, stdout: stdout.stream, stderr: stderr.stream });
    terminal.print(text);
    terminal.error(text);
    return [terminal.answerColumns, stdout.written.join(''), stderr.written.join('')];
  };
  assert.deepEqual(printed(false, true), [18, broken, broken]);
  assert.deepEqual(printed(true, true), [Infinity, text, broken]);
  assert.deepEqual(printed(false, false), [Infinity, text, text]);
});

test('a line of JSON is the same to its reader, whatever is in it', () => {
  const document = { why: 'a\u001b[2J\u009b\u007f\u202e\n\u2028' };
  const stdout = stream(false);
  const terminal = systemTerminal(
    { json: false },
    { stdin: stream(false).stream, stdout: stdout.stream, stderr: stream(false).stream },
  );
  terminal.print(`${JSON.stringify(document)}\n`);
  assert.deepEqual(JSON.parse(stdout.written.join('')), document);
});

test('a note of the log is one line, whatever a file is called', () => {
  const stderr = stream(true);
  const terminal = systemTerminal(
    { json: false },
    { stdin: stream(true).stream, stdout: stream(true).stream, stderr: stderr.stream },
  );
  makeLog({ level: 'warn', secrets: [], screen: terminal.error }).warn('it was left', { file: 'a\nNote: all is well' });
  assert.equal(stderr.written.join(''), 'Note: it was left (file=a\\nNote: all is well)\n');
});

test('a long answer waits for its reader, and no longer when he is gone', async () => {
  let take = () => {};
  const stdout = new Writable({
    highWaterMark: 4,
    write: (_text, _encoding, done) => {
      take = done;
    },
  });
  const terminal = systemTerminal(
    { json: false },
    { stdin: stream(false).stream, stdout, stderr: stream(false).stream },
  );
  await terminal.taken();
  for (const end of [() => take(), () => stdout.destroy()]) {
    terminal.print('more than four');
    let taken = false;
    const waited = terminal.taken().then(() => {
      taken = true;
    });
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    assert.equal(taken, false);
    end();
    await waited;
  }
  assert.equal(stdout.listenerCount('drain') + stdout.listenerCount('close'), 0);
});

test('what is said while a bar is drawn goes above it, whole', () => {
  const [stdin, stdout, stderr] = [stream(true), stream(true), stream(true)];
  const terminal = systemTerminal(
    { json: false },
    { stdin: stdin.stream, stdout: stdout.stream, stderr: stderr.stream },
  );
  terminal.setBar(true);
  const log = makeLog({ level: 'warn', secrets: [], screen: terminal.error });
  log.warn('the account is paused', { account: 'main' });
  terminal.setBar(false);
  log.warn('again');
  const [clear, wrap, noWrap] = ['\r\u001b[2K', '\u001b[?7h', '\u001b[?7l\u001b7'];
  assert.equal(
    stderr.written.join(''),
    `${clear}${wrap}Note: the account is paused (account=main)\n${noWrap}Note: again\n`,
  );
});

test('an answer that nobody reads any more is waited for no more', async () => {
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const stdout = new Writable({
    highWaterMark: 4,
    autoDestroy: false,
    emitClose: false,
    write: (_text, _encoding, done) => done(gone),
  });
  // The process's own stdout is never destroyed, and goes on as if somebody would still take what it holds.
  Object.defineProperty(stdout, 'writableNeedDrain', { value: true });
  const terminal = systemTerminal(
    { json: false },
    { stdin: stream(false).stream, stdout, stderr: stream(false).stream },
  );
  terminal.print('more than four');
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'late').unref());
  assert.equal(await Promise.race([terminal.taken(), late]), undefined);
});
