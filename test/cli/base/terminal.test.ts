import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { systemTerminal } from '../../../src/cli/base/terminal.ts';
import { makeLog } from '../../../src/runtime/logging/log.ts';

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

test('control characters are made visible, on a terminal and off it; lines and our own colours stay', async () => {
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
    terminal.show([text]);
    assert.deepEqual(
      [stdout.written.join(''), stderr.written.join('')],
      [`${red} ${shown}`, `${red} ${shown}\u001b[?7l${shown}\n\u001b[?7h`],
    );
  }
});

test('text for a person fits the screen; text for a file or a program has complete lines', () => {
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

test('a line of JSON is the same to its reader, whatever it contains', () => {
  const document = { why: 'a\u001b[2J\u009b\u007f\u202e\n\u2028' };
  const stdout = stream(false);
  const terminal = systemTerminal(
    { json: false },
    { stdin: stream(false).stream, stdout: stdout.stream, stderr: stream(false).stream },
  );
  terminal.print(`${JSON.stringify(document)}\n`);
  assert.deepEqual(JSON.parse(stdout.written.join('')), document);
});

test('a log message is one line, whatever the name of a file', () => {
  const stderr = stream(true);
  const terminal = systemTerminal(
    { json: false },
    { stdin: stream(true).stream, stdout: stream(true).stream, stderr: stderr.stream },
  );
  makeLog({ level: 'warn', secrets: [], screen: terminal.error }).warn('a webhook was rejected', {
    file: 'a\nNote: all is well',
  });
  assert.equal(stderr.written.join(''), 'Note: a webhook was rejected (file=a\\nNote: all is well)\n');
});

test('a long answer waits for its reader, but not for one who has left', async () => {
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

/**
 * A terminal whose stderr is a screen of this size; `rows` are what stands on it, and what has scrolled off its top.
 */
function onScreen(size: { columns: number; rows: number }) {
  const rows: string[] = [''];
  let [row, column, top, wraps] = [0, 0, 0, true];
  const write = (character: string) => {
    if (column === size.columns && !wraps) column -= 1;
    if (column === size.columns) [row, column] = [row + 1, 0];
    while (rows.length <= row) rows.push('');
    rows[row] = (rows[row] ?? '').padEnd(column).slice(0, column) + character + (rows[row] ?? '').slice(column + 1);
    column += 1;
  };
  const obey: Record<string, (count: number) => void> = {
    A: (count) => {
      row = Math.max(top, row - count);
    },
    // A cursor behind the last column stands on it.
    K: () => {
      rows[row] = (rows[row] ?? '').slice(0, Math.min(column, size.columns - 1));
    },
    J: () => {
      rows.length = row + 1;
      obey.K?.(0);
    },
  };
  const take = (text: string) => {
    for (const [found, count, letter, mode] of text
      .replaceAll('\u001b', '␛')
      .matchAll(/␛\[(\d*)([AJK])|␛\[\?7([lh])|./gs)) {
      if (letter !== undefined) obey[letter]?.(Number(count));
      else if (mode !== undefined) wraps = mode === 'h';
      else if (found === '\r') column = 0;
      else if (found === '\n') [row, column] = [row + 1, 0];
      else write(found);
      while (rows.length <= row) rows.push('');
      top = Math.max(top, row - size.rows + 1);
    }
  };
  const output = new Writable({ write: (text, _encoding, done) => done(void take(String(text))) });
  const stderr = Object.assign(output, { isTTY: true }, size);
  const terminal = systemTerminal({ json: false }, { stdin: stream(true).stream, stdout: stream(true).stream, stderr });
  return { terminal, type: take, rows: () => rows.slice(0, row) };
}

test('changing lines are redrawn, broken at words to any width, and never leave old ones behind', () => {
  for (const columns of [20, 33, 60, 80, 120]) {
    const { terminal, rows } = onScreen({ columns, rows: 24 });
    terminal.error('Before\n');
    const lines = (count: number) => [
      ` ████ ${count} of 60 rows settled, ${count} failed, and some more that takes a while to be said`,
      ' waits for a program ("airbatch resume 20261122-224333-0307" or "airbatch serve")',
      '',
    ];
    for (let count = 1; count <= 60; count++) terminal.show(lines(count));
    terminal.error('Note: it goes on\n');
    assert.deepEqual(rows().slice(0, 2), ['Before', 'Note: it goes on']);
    const drawn = rows().slice(2);
    assert.ok(drawn.every((row) => row.length <= columns));
    assert.equal(drawn.join(' ').match(/60 of 60 rows/g)?.length, 1, drawn.join('\n'));
    assert.doesNotMatch(rows().join(' '), /59 of 60/);
    if (columns >= 60) assert.equal(drawn.join(' ').replace(/\s+/g, ' ').trim(), lines(60).join('').trim());
  }
});

test('changing lines keep words together by no-break spaces, and show plain ones', () => {
  const { terminal, rows } = onScreen({ columns: 20, rows: 24 });
  terminal.show(['3 of 60 rows · 2\u00a0in\u00a0doubt']);
  assert.deepEqual(rows(), ['3 of 60 rows ·', '  2 in doubt']);
});

test('kept lines stay, and keys typed meanwhile do not', () => {
  const { terminal, rows, type } = onScreen({ columns: 40, rows: 24 });
  terminal.show(['1 of 2']);
  type('^C');
  terminal.keep();
  terminal.error('Stopping\n');
  terminal.show(['a']);
  terminal.show(['b']);
  assert.deepEqual(rows(), ['1 of 2', 'Stopping', 'b']);
});

test('if the window is too small for all lines, the last one says how many are missing, and none scrolls away', () => {
  const { terminal, rows } = onScreen({ columns: 60, rows: 6 });
  for (let count = 1; count <= 3; count++)
    terminal.show(Array.from({ length: 9 }, (_, index) => `batch ${index}: ${count} of 3`));
  assert.deepEqual(rows(), [
    ...[0, 1, 2, 3].map((index) => `batch ${index}: 3 of 3`),
    'and 5 more lines: the window is too small',
  ]);
});

test('a closed reader or terminal ends no work; a failing disk does', () => {
  for (const [code, isTTY, ends] of [
    ['EPIPE', false, false],
    ['EIO', true, false],
    ['EIO', false, true],
    ['ENOSPC', false, true],
  ] as const) {
    const [stdout, stderr] = [stream(isTTY).stream, stream(isTTY).stream];
    systemTerminal({ json: false }, { stdin: stream(isTTY).stream, stdout, stderr });
    for (const output of [stdout, stderr]) {
      const meets = () => output.emit('error', Object.assign(new Error(`write ${code}`), { code }));
      if (ends) assert.throws(meets, { code });
      else assert.doesNotThrow(meets, code);
    }
  }
});

test('a terminal that is closed at a question has answered no', async () => {
  const stdin = stream(true).stream;
  const setRawMode = (isRaw: boolean) => {
    if (!isRaw) stdin.emit('error', Object.assign(new Error('setRawMode EIO'), { code: 'EIO' }));
  };
  const { confirm } = systemTerminal(
    { json: false },
    { stdin: Object.assign(stdin, { setRawMode }), stdout: stream(true).stream, stderr: stream(true).stream },
  );
  const answer = confirm('Send 2 rows? [y/N] ');
  stdin.end();
  assert.equal(await answer, false);
});

test('the program does not wait for a reader that has left', async () => {
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
  const late = new Promise((resolve) => setTimeout(resolve, 60_000, 'late').unref());
  assert.equal(await Promise.race([terminal.taken(), late]), undefined);
});
