import type { OperationEvent } from '../../operations/base/events.ts';
import { grouped } from '../../reports/text/counted-text.ts';
import type { Terminal } from '../base/terminal.ts';

/** Smaller files are read before a person could read a progress line. */
const shownBytesMin = 4 * 2 ** 20;

/** Shows how much of a file has been read, if a person watches. */
export function makeReadingLine(terminal: Terminal): (read: Extract<OperationEvent, { kind: 'reading' }>) => void {
  let shown = -1;
  return ({ bytes, bytes_total: bytesTotal, rows }) => {
    if (!terminal.isInteractive || bytesTotal < shownBytesMin) return;
    const percent = Math.floor((100 * bytes) / bytesTotal);
    if (percent === shown) return;
    shown = percent;
    terminal.show([`Reading    ${percent}% · ${grouped(rows)} rows`]);
    if (percent === 100) terminal.keep();
  };
}
