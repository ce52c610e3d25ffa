import type { OperationEvent } from '../../operations/base/events.ts';
import type { Terminal } from '../base/terminal.ts';

/** Files below this are read before a person could read how far. */
const shownBytesMin = 4 * 2 ** 20;

/** Shows how far a file was read, where a person watches. */
export function makeReadingLine(terminal: Terminal): (read: Extract<OperationEvent, { kind: 'reading' }>) => void {
  let shown = -1;
  return ({ bytes, bytes_total: bytesTotal, rows }) => {
    if (!terminal.isInteractive || bytesTotal < shownBytesMin) return;
    const percent = Math.floor((100 * bytes) / bytesTotal);
    if (percent === shown) return;
    shown = percent;
    terminal.show([`Reading    ${percent}% · ${rows.toLocaleString('en-US')} rows`]);
    if (percent === 100) terminal.keep();
  };
}
